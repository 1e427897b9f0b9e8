import { createHash } from 'node:crypto';
import { statusRule } from '@app/contracts';
import { createFaults, HttpError, type Reply, type Request, startHttpServer } from '@app/demo';
import { afnor } from '../../afnor/afnor.ts';
import { apiKey, type FakeProvider } from '../fake-provider.ts';
import { ublInvoice } from '../ubl-invoice.ts';

type Flow = {
  flowId: string;
  trackingId: string | null;
  flowType: string;
  flowDirection: 'In' | 'Out';
  flowSyntax: string;
  processingRule: string;
  updatedAt: string;
  acknowledgement: { status: 'Pending' | 'Ok' | 'Error'; details?: object[] };
};

export type FakeAfnor = FakeProvider & {
  /** Life-cycle messages that were accepted, oldest first. */
  sent: { flowInfo: Record<string, unknown>; xml: string }[];
  /** Flows by id, which tests may change. */
  flows: Map<string, Flow>;
  addFlow(flow: Partial<Flow> & { flowId: string }, document: Buffer): void;
  /** What each flow has besides its metadata; tests may take it away. */
  docTypes: Set<string>;
};

/** `pages`: by a cursor, or not at all. `most`: results at once. */
type Paging = { pages: boolean; most: number };
const ofTheStandard: Paging = { pages: true, most: 100 };

/** A fake of the flow service of XP Z12-013. Its `updatedAfter` is exclusive. */
export async function startFakeAfnor(paging = ofTheStandard): Promise<FakeAfnor> {
  const faults = createFaults();
  const flows = new Map<string, Flow>();
  const documents = new Map<string, Buffer>();
  const sent: FakeAfnor['sent'] = [];
  const docTypes = new Set(['Original']);
  const start = Date.now();
  let moments = 0;

  const addFlow = (flow: Partial<Flow> & { flowId: string }, document: Buffer): void => {
    moments += 1;
    flows.set(flow.flowId, {
      trackingId: null,
      flowType: 'SupplierInvoice',
      flowDirection: 'In',
      flowSyntax: 'UBL',
      processingRule: 'B2B',
      updatedAt: new Date(start + moments).toISOString(),
      acknowledgement: { status: 'Ok' },
      ...flow,
    });
    documents.set(flow.flowId, document);
  };
  const one = (request: Request, id: string): Reply => {
    const flow = flows.get(id);
    if (!flow) throw new HttpError(404, 'not_found', 'no such flow');
    const docType = request.query.get('docType') ?? 'Metadata';
    if (docType === 'Metadata') return { status: 200, json: flow };
    if (!docTypes.has(docType)) throw new HttpError(404, 'not_found', 'no such document');
    return { status: 200, bytes: documents.get(id) ?? Buffer.alloc(0), headers: { 'content-type': 'application/xml' } };
  };
  const receive = (request: Request): Reply => {
    const { flowInfo, file } = partsOf(request);
    const trackingId = String(flowInfo['trackingId']);
    if (flowInfo['flowSyntax'] !== 'CDAR')
      throw new HttpError(400, 'flow_syntax', 'only life-cycle messages are taken here');
    if (flowInfo['sha256'] !== createHash('sha256').update(file).digest('hex'))
      throw new HttpError(400, 'sha256', 'another file');
    const twice = [...flows.values()].some((flow) => flow.trackingId === trackingId);
    if (twice) throw new HttpError(409, 'duplicate', 'this trackingId is taken');
    if (flowInfo['processingRule'] === 'B2BInt' && !file.includes('<ram:ProcessConditionCode>211<')) {
      throw new HttpError(400, 'processing_rule', 'an invoice between countries takes payments alone');
    }
    sent.push({ flowInfo, xml: file.toString('utf8') });
    const status = 'Pending';
    addFlow(
      {
        flowId: `lc-${sent.length}`,
        trackingId,
        flowType: 'SupplierInvoiceLC',
        flowDirection: 'Out',
        flowSyntax: 'CDAR',
        acknowledgement: { status },
      },
      file,
    );
    return { status: 202, json: { flowId: `lc-${sent.length}`, ...flowInfo } };
  };
  const server = await startHttpServer(
    (request) => {
      if (request.headers.authorization !== `Bearer ${apiKey}`) throw new HttpError(401, 'unauthorized', 'bad token');
      const [, , collection, id] = request.path.split('/');
      if (collection !== 'flows') throw new HttpError(404, 'not_found', 'no such path');
      if (request.method === 'POST')
        return id === 'search' ? found(request, [...flows.values()], paging) : receive(request);
      return one(request, decodeURIComponent(id ?? ''));
    },
    { port: 0, before: faults.apply },
  );
  const known = ublInvoice();
  addFlow({ flowId: 'flow-1' }, known);
  return {
    provider: afnor,
    baseUrl: server.url,
    apiKey,
    known: 'flow-1',
    documentBytes: known,
    add(number) {
      addFlow({ flowId: `flow-added-${number}` }, ublInvoice({ number: `N-${number}` }));
      return `flow-added-${number}`;
    },
    remove: null,
    fail: faults.add,
    heal: faults.clear,
    feedbackCount: (_id, outcome) =>
      outcome === 'reversed' ? 0 : sent.filter(({ xml }) => xml.includes(`Code>${statusRule(outcome).code}</`)).length,
    writePattern: '^POST /v1/flows$',
    canReverse: false,
    close: server.close,
    sent,
    flows,
    addFlow,
    docTypes,
  };
}

function found(request: Request, flows: Flow[], { pages, most }: Paging): Reply {
  const {
    limit: asked = 25,
    cursor = '0',
    where,
  } = JSON.parse(request.body.toString('utf8')) as {
    limit?: number;
    cursor?: string;
    where?: { updatedAfter?: string; flowType?: string[]; flowDirection?: string[]; trackingId?: string };
  };
  if (asked > 100) throw new HttpError(400, 'limit', 'limit is at most 100');
  if (where === undefined) throw new HttpError(400, 'where', 'where is required');
  const limit = Math.min(asked, most);
  const all = flows
    .filter((flow) => where.updatedAfter === undefined || flow.updatedAt > where.updatedAfter)
    .filter((flow) => where.flowType?.includes(flow.flowType) ?? true)
    .filter((flow) => where.flowDirection?.includes(flow.flowDirection) ?? true)
    .filter((flow) => where.trackingId === undefined || flow.trackingId === where.trackingId)
    .sort((one, other) => one.updatedAt.localeCompare(other.updatedAt));
  const end = Number(cursor) + limit;
  const next = pages && end < all.length ? { nextCursor: String(end) } : {};
  const results = all.slice(Number(cursor), end);
  return { status: 200, json: { limit, ...next, filters: where, results } };
}

/** The two parts of `POST /flows`, as servers read them: a field has no file name. */
function partsOf({ headers, body }: Request): { flowInfo: Record<string, unknown>; file: Buffer } {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1);
  const contents = new Map(
    parts.map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const name = /name="([^"]+)"/.exec(head)?.[1] ?? '';
      return [`${name}${head.includes('filename=') ? ' as a file' : ''}`, rest.join('\r\n\r\n').replace(/\r\n$/, '')];
    }),
  );
  const flowInfo = contents.get('flowInfo');
  const file = contents.get('file as a file');
  if (flowInfo === undefined || file === undefined)
    throw new HttpError(400, 'multipart', 'flowInfo and file are needed');
  return { flowInfo: JSON.parse(flowInfo) as Record<string, unknown>, file: Buffer.from(file, 'latin1') };
}
