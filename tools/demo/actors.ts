import { randomBytes } from 'node:crypto';
import { type Api, api, step } from './print.ts';

export type Stack = {
  ticketApi: string;
  tsApi: string;
  download: string;
  adminToken: string;
  providerSandbox: string;
  /** This machine, as the platform calls it, by default 127.0.0.1; another where the platform runs in containers. */
  host?: string;
};

/** The companies and users of one run, new each time, each with access to one of the two APIs. */
export type Actors = {
  /** The ticket API with the client's API token. */
  purchasing: Api;
  /** The second API with the session of the client's administrator. */
  operator: Api;
  /** The address of the second API, for the provider's webhooks. */
  tsApi: string;
  client: { id: string; user: string };
  first: { id: string; api: Api };
  second: { id: string; api: Api };
};

const password = randomBytes(12).toString('hex');

/** Creates a client and two contractors with the platform's admin token, and logs their users in. */
export async function createActors(stack: Stack): Promise<Actors> {
  step('The platform administrator creates a client, two contractors and their users');
  const admin = api(stack.tsApi, stack.adminToken);
  const client = await company(stack, admin, { name: 'Acme Facilities', kind: 'client', siret: '732 829 320 00074' });
  const first = await company(stack, admin, { name: 'Fixit Plumbing', kind: 'contractor' });
  const second = await company(stack, admin, { name: 'Slow Repairs', kind: 'contractor' });

  step('The client makes an API token for its purchasing system');
  const operator = api(stack.tsApi, client.session);
  const token = await operator('POST /api-tokens', { name: 'purchasing system' });
  return {
    purchasing: api(`${stack.ticketApi}/api/v3.0`, String(token.body['token'])),
    operator,
    tsApi: stack.tsApi,
    client: { id: client.id, user: client.user },
    first: { id: first.id, api: api(`${stack.ticketApi}/api/v3.0`, first.session) },
    second: { id: second.id, api: api(`${stack.ticketApi}/api/v3.0`, second.session) },
  };
}

async function company(stack: Stack, admin: Api, given: { name: string; kind: string; siret?: string }) {
  const created = await admin('POST /admin/companies', given);
  const id = String(created.body['id']);
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const person = { first_name: 'Camille', last_name: given.name, permissions: ['admin'] };
  const user = await admin('POST /admin/users', { company_id: id, email, password, ...person });
  const login = await api(stack.tsApi, 'none')('POST /auth/login', { email, password });
  return { id, user: String(user.body['id']), session: String(login.body['token']) };
}
