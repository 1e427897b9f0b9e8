import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { subscribableEvents } from '@app/contracts';
import { requestName, responseName } from '@app/http';
import { type Receiver, startReceiver } from '@app/testing';
import axios, { type AxiosResponse } from 'axios';
import { recordSecret, recordSecrets } from '../setup/secrets.ts';
import { checkExample, fixedIn } from './examples/record.ts';
import { type OpenApiCheck, openApiCheck, operationFinder } from './openapi-check.ts';

export type Stack = {
  ticketApi: string;
  tsApi: string;
  download: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  /** The sandbox AP provider of this platform. */
  providerSandbox: string;
  /** The flow service of its approved platform. */
  approvedPlatform: string;
  pids: Record<string, number>;
};

/** The running platform, as described by its `stack.json`. */
export function stack(): Stack {
  return JSON.parse(readFileSync(join(stackDir(), 'stack.json'), 'utf8')) as Stack;
}

function stackDir(): string {
  const dir = process.env['STACK_DIR'];
  if (!dir) throw new Error('run this test through Jest: its setup starts the platform');
  return dir;
}

/** A connection for each request: one that is idle may be closed by its server just when it is used again. */
const agent = new Agent({ keepAlive: false });

export type Call = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<AxiosResponse>;

/** Calls `METHOD /path` with a Bearer credential; does not throw for any status. */
export function caller(baseURL: string, token?: string): Call {
  const http = axios.create({ baseURL, httpAgent: agent, validateStatus: () => true, maxRedirects: 0 });
  if (token) recordSecret(stackDir(), token);
  return async (line, body, headers = {}) => {
    const [method = 'GET', url = '/'] = line.split(' ');
    const authorization = token ? { authorization: `Bearer ${token}` } : {};
    recordSecrets(stackDir(), body instanceof FormData ? null : body);
    const responseType = url.endsWith('/stream') ? 'stream' : 'json';
    const request = { method, url, data: body, headers: { ...authorization, ...headers }, responseType } as const;
    const answer = await http.request(request);
    if (responseType === 'stream') answer.data = await beginningOf(answer);
    recordSecrets(stackDir(), answer.data);
    if (process.env['CHECK_ANSWERS']) await assertDocumented(answer);
    return answer;
  };
}

/** Nothing of server-sent events, which never end. */
async function beginningOf({ data, status }: AxiosResponse<Readable>): Promise<unknown> {
  if (status !== 200) return JSON.parse(await textOf(data));
  data.destroy();
  return '';
}

type Documented = { check: OpenApiCheck; find: ReturnType<typeof operationFinder>; fixed: Set<string> };
const documents = new Map<string, Documented | null>();

/**
 * Checks that the OpenAPI document of its host describes this response and, in these tests, has examples of it and of its request.
 * @throws Error if it does not
 */
async function assertDocumented({ config, status, data }: AxiosResponse): Promise<void> {
  const { origin, pathname } = new URL(axios.getUri(config));
  if (!documents.has(origin)) documents.set(origin, readDocument(origin));
  const document = documents.get(origin);
  const method = config.method ?? 'get';
  const operation = document?.find({ method, path: pathname });
  if (!document || !operation) return;
  const faults = document.check({ method, path: pathname, status, body: data });
  if (faults.length > 0) throw new Error(`${method} ${pathname}: ${faults.join('; ')}`);
  // Not of other tests on this platform: those of the console make things with hostile texts. Outside Jest no test runs.
  const isEndToEnd = 'expect' in globalThis && expect.getState().testPath?.startsWith(__dirname);
  if (status >= 300 || !isEndToEnd) return;
  const called = { method, path: operation.path };
  const context = { fixed: document.fixed, origins: shownOrigins() };
  const { requestBody, responses } = operation.operation;
  if (isJson(responses[status])) checkExample(responseName({ ...called, status }), data, context);
  if (isJson(requestBody) && config.data) checkExample(requestName(called), JSON.parse(config.data), context);
}

function isJson(described: { content?: object } = {}): boolean {
  return 'application/json' in (described.content ?? {});
}

function shownOrigins(): Record<string, string> {
  const { ticketApi, tsApi, download } = stack();
  return {
    [ticketApi]: 'https://api.example.com',
    [tsApi]: 'https://console.example.com',
    [download]: 'https://files.example.com',
  };
}

/** As the console serves it, which not every platform runs. The provider sandbox has none. */
function readDocument(origin: string): Documented | null {
  const { ticketApi, tsApi, download } = stack();
  const name = new Map([
    [ticketApi, 'ticket'],
    [tsApi, 'ts'],
    [download, 'download'],
  ]).get(origin);
  if (name === undefined) return null;
  const path = join(import.meta.dirname, `../../services/console/reference/openapi/${name}.json`);
  const data = JSON.parse(readFileSync(path, 'utf8'));
  return { check: openApiCheck(data), find: operationFinder(data), fixed: fixedIn(data) };
}

/** @throws Error for any response but a success */
export async function ok(answer: Promise<AxiosResponse>): Promise<AxiosResponse> {
  const { status, data, config } = await answer;
  if (status < 300) return answer;
  throw new Error(`${config.method} ${config.url} answered ${status}: ${JSON.stringify(data)}`);
}

export type Member = {
  companyId: string;
  userId: string;
  email: string;
  password: string;
  session: string;
  /** The ticket API, under `/api/v3.0`, with the session's token. */
  api: Call;
  /** The second API. */
  ts: Call;
};

/** A contractor; `id` is that of its entry in the client's list. */
export type Contractor = Member & { id: string };

const admin = (): Call => caller(stack().tsApi, stack().adminToken);

/** A new company with one user, logged in. */
export async function newCompany(kind: 'client' | 'contractor', permissions = ['admin']): Promise<Member> {
  const name = `Company ${randomBytes(4).toString('hex')}`;
  const company = await ok(admin()('POST /admin/companies', { name, kind }));
  return newUser(company.data.id, permissions);
}

export async function newUser(companyId: string, permissions: string[]): Promise<Member> {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('hex');
  const names = { first_name: 'Ada', last_name: 'Martin' };
  const user = await ok(
    admin()('POST /admin/users', { company_id: companyId, email, password, ...names, permissions }),
  );
  return logIn({ companyId, userId: user.data.id, email, password });
}

export type Credentials = Pick<Member, 'companyId' | 'userId' | 'email' | 'password'>;

export async function logIn(user: Credentials): Promise<Member> {
  const { email, password } = user;
  const login = await ok(caller(stack().tsApi)('POST /auth/login', { email, password }));
  const session = login.data.token as string;
  return {
    ...user,
    session,
    api: caller(`${stack().ticketApi}/api/v3.0`, session),
    ts: caller(stack().tsApi, session),
  };
}

/** A contractor company with an entry in the client's directory. */
export async function newContractorOf(client: Member): Promise<Contractor> {
  const contractor = await newCompany('contractor');
  const entry = await ok(client.api('POST /contractors', { name: 'Fixit', company_id: contractor.companyId }));
  await ok(contractor.api(`PUT /clients/requests/${entry.data._id}`));
  return { ...contractor, id: entry.data._id };
}

/** The path of a new ticket. */
export async function newTicket(client: Member, body: object = {}): Promise<string> {
  const created = await ok(client.api('POST /tickets', { title: 'Leak', ...body }));
  return `/tickets/${created.data.ticket_id}`;
}

/** A receiver with a certificate that the platform trusts. */
export function newReceiver(): Promise<Receiver> {
  return startReceiver([], join(stackDir(), 'tls'));
}

/** Subscribes a path of a receiver to every ticket event; the endpoint with its secret. */
export async function subscribe(
  member: Member,
  receiver: Pick<Receiver, 'url'>,
  path = '/',
): Promise<{ id: string; secret: string }> {
  const created = await member.ts('POST /webhooks/endpoints', {
    name: 'e2e',
    url: receiver.url(path),
    events: subscribableEvents,
  });
  if (created.status !== 201) throw new Error(`no endpoint: ${created.status} ${JSON.stringify(created.data)}`);
  return created.data;
}

export type WebhookBody = { event: string; created_at: string; data: Record<string, unknown> };

/** Each delivery once: one that was answered late is sent again. */
export function bodiesAt(receiver: Receiver, path = '/', after = 0): WebhookBody[] {
  const received = receiver.at(path).slice(after);
  const deliveries = new Map(received.map((one) => [one.headers['x-service-delivery'], one]));
  return [...deliveries.values()].map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookBody);
}

/** A PDF of that many bytes as a form, with text fields. */
export function pdfForm(fields: Record<string, string> = {}, size = 64, name = 'devis.pdf'): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([`%PDF-1.4\n${' '.repeat(size - 15)}%%EOF\n`]), name);
  return form;
}
