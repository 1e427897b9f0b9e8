import { answerAdmin } from '../fake-server/admin.ts';
import { createFaults, type Fault } from '../fake-server/faults.ts';
import { type ErrorBody, HttpError, type Reply, type Request, startHttpServer } from '../fake-server/http-server.ts';
import { Accounts } from './accounts.ts';
import { adminOperations } from './admin.ts';
import { Control, type Received } from './control.ts';
import { Directory } from './directory.ts';
import { type FlowService, handleFlows } from './flows/flow-api.ts';
import { FlowLedger } from './flows/flow-ledger.ts';
import { Searches } from './flows/search.ts';
import { Webhooks } from './flows/webhooks.ts';
import { initialSettings } from './settings.ts';

/** The functions are those of the admin API (README.md). */
export type ApprovedPlatform = Control & {
  url: string;
  port: number;
  /** `PROVIDER_AFNOR_URL` of the platform. */
  flowService: string;
  directoryService: string;
  tokenUrl: string;
  /** Makes the services and the token address fail. The admin API never fails. */
  fail(fault: Fault): void;
  heal(): void;
  close(): Promise<void>;
};

type Options = {
  /** 0 is any free port. */
  port: number;
  /** With one, it is an HTTPS server. */
  certificate?: { cert: string; key: string };
};

const tokenPath = '/auth/token';
const maxBodyBytes = 101_000_000;
const maxRequests = 5_000;

/** The approved platform of the fake (README.md), on loopback. All data is in memory and bounded. */
export async function startApprovedPlatform(options: Options): Promise<ApprovedPlatform> {
  const settings = initialSettings();
  const accounts = new Accounts();
  const faults = createFaults(errorBody);
  const directory = new Directory();
  const ledger = new FlowLedger();
  const webhooks = new Webhooks(settings);
  const requests: Received['requests'] = [];
  const service: FlowService = {
    ledger,
    webhooks,
    settings,
    searches: new Searches(),
    received: [],
    rejections: [],
    settle: (flowId) => control.settleLater(flowId),
  };
  const control = new Control({ service, accounts, directory, requests });
  const operations = adminOperations(control);
  const answer = async (request: Request): Promise<Reply | null> => {
    const [, first = ''] = request.path.split('/');
    if (first === 'admin') return answerAdmin(operations, faults, request);
    if (request.path === tokenPath) return accounts.token(request, settings);
    if (!/^\/(flow|directory)-service\/v1\//.test(request.path)) return null;
    const below = { ...request, path: request.path.slice(first.length + 1) };
    if (below.path === '/v1/healthcheck') return { status: 200 };
    if (first === 'directory-service') {
      accounts.clientOf(request);
      return directory.answer(below, settings);
    }
    return handleFlows(service, accounts.identify(request), below);
  };
  const server = await startHttpServer(
    async (request) => {
      const reply = await answer(request);
      if (reply === null) throw new HttpError(404, 'MISSING_RESOURCE', 'there is no such path');
      return reply;
    },
    {
      ...options,
      maxBodyBytes,
      errorBody,
      async before(req, res) {
        const path = (req.url ?? '').split('?')[0] as string;
        if (path.startsWith('/admin/')) return false;
        const header = (name: string) => String(req.headers[name] ?? '') || null;
        const told = { requestId: header('request-id'), organization: header('organization-id') };
        const entry = { at: new Date().toISOString(), method: req.method ?? '', path, ...told, status: null };
        requests.push(entry);
        if (requests.length > maxRequests) requests.shift();
        res.once('finish', () => Object.assign(entry, { status: res.statusCode }));
        return faults.apply(req, res);
      },
    },
  );
  return Object.assign(control, {
    url: server.url,
    port: server.port,
    flowService: `${server.url}/flow-service/v1`,
    directoryService: `${server.url}/directory-service/v1`,
    tokenUrl: server.url + tokenPath,
    fail: faults.add,
    heal: faults.clear,
    async close() {
      await control.stop();
      await server.close();
    },
  });
}

/** The standard's body of an error. */
const errorBody: ErrorBody = (errorCode, errorMessage) => ({ errorCode, errorMessage });
