import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TicketApi, type TsApi, ticketApi, tsApi } from '@app/api-client';
import { DemoFailure, ok, printed, step } from './print.ts';

export type Stack = {
  ticketApi: string;
  tsApi: string;
  download: string;
  adminToken: string;
  providerSandbox: string;
  /** Of its flow service; absent if the platform calls none. */
  approvedPlatform?: string;
  /**
   * This machine, as the platform calls it: 127.0.0.1 by default, another address if the platform
   * runs in containers.
   */
  host?: string;
};

/** The companies and users of one run, new each time, each with access to one of the two APIs. */
export type Actors = {
  /** The ticket API with the client's API token. */
  purchasing: TicketApi;
  /** The second API with the session of the client's administrator. */
  operator: TsApi;
  /** The address of the second API, for the provider's webhooks. */
  tsApi: string;
  client: { id: string; user: string };
  first: { id: string; api: TicketApi };
  second: { id: string; api: TicketApi };
};

/** @throws DemoFailure if no platform runs */
export function readStack(stackDir: string): Stack {
  const path = join(stackDir, 'stack.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Stack;
  } catch {
    throw new DemoFailure(`there is no ${path}: start the platform first, with \`npm start\` in another terminal`);
  }
}

const password = randomBytes(12).toString('hex');
const middleware = [printed];

/** Creates a client and two contractors with the platform's admin token, and logs their users in. */
export async function createActors(stack: Stack): Promise<Actors> {
  const tickets = (token: string) => ticketApi({ baseUrl: stack.ticketApi, token, middleware });
  step('The platform administrator creates a client, two contractors and their users');
  const admin = tsApi({ baseUrl: stack.tsApi, token: stack.adminToken, middleware });
  const client = await company(stack, admin, { name: 'Acme Facilities', kind: 'client', siret: '732 829 320 00074' });
  const first = await company(stack, admin, { name: 'Fixit Plumbing', kind: 'contractor' });
  const second = await company(stack, admin, { name: 'Slow Repairs', kind: 'contractor' });

  step('The client makes an API token for its purchasing system');
  const operator = tsApi({ baseUrl: stack.tsApi, token: client.session, middleware });
  const { token } = await ok(operator.POST('/api-tokens', { body: { name: 'purchasing system' } }));
  return {
    purchasing: tickets(token),
    operator,
    tsApi: stack.tsApi,
    client: { id: client.id, user: client.user },
    first: { id: first.id, api: tickets(first.session) },
    second: { id: second.id, api: tickets(second.session) },
  };
}

type NewCompany = { name: string; kind: 'client' | 'contractor'; siret?: string };

async function company(stack: Stack, admin: TsApi, given: NewCompany) {
  const { id } = await ok(admin.POST('/admin/companies', { body: given }));
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const person = { first_name: 'Camille', last_name: given.name, permissions: ['admin' as const] };
  const user = await ok(admin.POST('/admin/users', { body: { company_id: id, email, password, ...person } }));
  const anybody = tsApi({ baseUrl: stack.tsApi, middleware });
  const { token } = await ok(anybody.POST('/auth/login', { body: { email, password } }));
  return { id, user: user.id, session: token };
}
