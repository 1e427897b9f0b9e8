import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receiver, startReceiver } from '@app/testing';
import axios, { type AxiosResponse } from 'axios';

export type Stack = {
  ticketApi: string;
  tsApi: string;
  download: string;
  mongodb: string;
  amqp: string;
  adminToken: string;
  /** The sandbox AP provider of this platform. */
  providerSandbox: string;
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

export type Call = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<AxiosResponse>;

/** Calls `METHOD /path` with a Bearer credential; does not throw for any status. */
export function caller(baseURL: string, token?: string): Call {
  const http = axios.create({ baseURL, validateStatus: () => true, maxRedirects: 0 });
  return (line, body, headers = {}) => {
    const [method = 'GET', url = '/'] = line.split(' ');
    const authorization = token ? { authorization: `Bearer ${token}` } : {};
    return http.request({ method, url, data: body, headers: { ...authorization, ...headers } });
  };
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

const admin = (): Call => caller(stack().tsApi, stack().adminToken);

/** A new company with one user, logged in. */
export async function newCompany(kind: 'client' | 'contractor', permissions = ['admin']): Promise<Member> {
  const company = await admin()('POST /admin/companies', { name: `Company ${randomBytes(4).toString('hex')}`, kind });
  return newUser(company.data.id, permissions);
}

export async function newUser(companyId: string, permissions: string[]): Promise<Member> {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('hex');
  const user = await admin()('POST /admin/users', {
    company_id: companyId,
    email,
    password,
    first_name: 'Ada',
    last_name: 'Martin',
    permissions,
  });
  const login = await caller(stack().tsApi)('POST /auth/login', { email, password });
  const session = login.data.token as string;
  return {
    companyId,
    userId: user.data.id,
    email,
    password,
    session,
    api: caller(`${stack().ticketApi}/api/v3.0`, session),
    ts: caller(stack().tsApi, session),
  };
}

/** A contractor company with an entry in the client's directory. */
export async function newContractorOf(client: Member): Promise<Member & { id: string }> {
  const contractor = await newCompany('contractor');
  const entry = await client.api('POST /contractors', { name: 'Fixit', company_id: contractor.companyId });
  return { ...contractor, id: entry.data._id };
}

/** The path of a new ticket. */
export async function newTicket(client: Member, body: object = {}): Promise<string> {
  const created = await client.api('POST /tickets', { title: 'Leak', ...body });
  return `/tickets/${created.data.ticket_id}`;
}

export const ticketEvents = [
  'ticket.status_changed',
  'ticket.quote_added',
  'ticket.visit_date_added',
  'ticket.intervention_date_added',
  'ticket.document_added',
  'ticket.report_added',
  'ticket.message_added',
  'ticket.invoice_added',
  'ticket.purchase_added',
];

/** A receiver with a certificate that the platform trusts. */
export function newReceiver(): Promise<Receiver> {
  return startReceiver([], join(stackDir(), 'tls'));
}

/** Subscribes a path of a receiver to every ticket event; the endpoint with its secret. */
export async function subscribe(
  member: Member,
  receiver: Receiver,
  path = '/',
): Promise<{ id: string; secret: string }> {
  const created = await member.ts('POST /webhooks/endpoints', {
    name: 'e2e',
    url: receiver.url(path),
    events: ticketEvents,
  });
  if (created.status !== 201) throw new Error(`no endpoint: ${created.status} ${JSON.stringify(created.data)}`);
  return created.data;
}

export type WebhookBody = { event: string; created_at: string; data: Record<string, unknown> };

export function bodiesAt(receiver: Receiver, path = '/'): WebhookBody[] {
  return receiver.at(path).map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookBody);
}

/** A PDF of that many bytes as a form, with text fields. */
export function pdfForm(fields: Record<string, string> = {}, size = 64, name = 'devis.pdf'): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([`%PDF-1.4\n${' '.repeat(size - 15)}%%EOF\n`]), name);
  return form;
}
