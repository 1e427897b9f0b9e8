import { type TicketApi, type TsApi, ticketApi, tsApi } from '@app/api-client';
import { type Api, createApi, ensure, ensureAll, findInList } from '../companies/demo-api.ts';
import * as companies from '../companies/demo-content.ts';
import { contractors, managers, moreLocations } from '../plan/people.ts';
import { trades } from '../plan/problems.ts';
import { ok } from './calls.ts';

export type Addresses = { ticketApi: string; tsApi: string; adminToken: string };

/** Everybody who calls during the week, and the ids of what they name. */
export type Actors = {
  clientId: string;
  /** In the order of `managers`, and of `contractors`. */
  managers: TicketApi[];
  contractors: TicketApi[];
  /** The purchasing system, with an API token. */
  purchasing: TicketApi;
  /** The administrator and the accountant of the client, on the second API. */
  operator: TsApi;
  accountant: TsApi;
  contractorIds: string[];
  locationIds: string[];
  /** By trade. */
  equipmentIds: string[];
  jobIds: string[];
  referenceField: string;
};

const password = companies.demoPassword;
const [admin, accountant] = companies.users.map(({ email }) => email) as [string, string];
const purchasingToken = 'ERP (demo)';

/** Adds the people of the week to the demo companies, and logs everybody in. */
export async function createActors(addresses: Addresses): Promise<Actors> {
  const platform = createApi(addresses.tsApi, addresses.adminToken);
  const ids = await addPeople(platform);
  const session = (email: string) => logIn(addresses.tsApi, email);
  const token = await session(admin);
  const client = createApi(`${addresses.ticketApi}/api/v3.0`, token);
  const tickets = (one: string) => ticketApi({ baseUrl: addresses.ticketApi, token: one });
  const operator = tsApi({ baseUrl: addresses.tsApi, token });
  const directory = await addDirectory(client, ids);
  const apis = await Promise.all(contractors.map(async ({ user }) => tickets(await session(user.email))));
  await Promise.all(apis.map((api, index) => acceptClient(api, directory.contractorIds[index] as string)));
  return {
    ...directory,
    clientId: ids.get(companies.client.name) as string,
    operator,
    purchasing: tickets(await newToken(operator)),
    accountant: tsApi({ baseUrl: addresses.tsApi, token: await session(accountant) }),
    managers: await Promise.all(managers.map(async ({ email }) => tickets(await session(email)))),
    contractors: apis,
  };
}

/** What the client's tickets are found by, before anybody else logs in. */
export async function clientApi({ ticketApi: host, tsApi }: Addresses): Promise<Api> {
  return createApi(`${host}/api/v3.0`, await logIn(tsApi, admin));
}

async function addPeople(platform: Api): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  const list = { path: '/admin/companies', key: 'items' };
  for (const company of [companies.client, ...contractors.map((one) => one.company)]) {
    ids.set(company.name, (await ensure(platform, list, company, 'name'))['id'] as string);
  }
  const people = [
    ...managers.map((user) => ({ user, company: companies.client.name })),
    ...contractors.map(({ user, company }) => ({ user, company: company.name })),
  ];
  for (const { user, company } of people) {
    const account = { ...user, company_id: ids.get(company), password, permissions: ['tickets'] };
    await ensure(platform, { path: '/admin/users', key: 'items' }, account, 'email');
  }
  return ids;
}

async function addDirectory(client: Api, ids: Map<string, string>) {
  const referentials = async (plural: string, one: string, things: { name: string }[]) =>
    (await ensureAll(client, { path: `/${plural}`, key: plural, one }, things)) as string[];
  const entries = contractors.map(({ company: { name, siret }, user: { email } }) => {
    return { name, siret, email, company_id: ids.get(name) };
  });
  const contractorIds = await ensureAll(client, { path: '/contractors', key: 'contractors', one: null }, entries);
  return {
    contractorIds: contractorIds as string[],
    locationIds: await referentials('locations', 'location', [...companies.locations, ...moreLocations]),
    equipmentIds: await referentials(
      'equipments',
      'equipment',
      trades.map(({ equipment: name }) => ({ name })),
    ),
    jobIds: await referentials(
      'jobs',
      'job',
      trades.map(({ job: name }) => ({ name })),
    ),
    referenceField: await referenceField(client),
  };
}

/** The contractor's yes to the client that has it in its directory. */
async function acceptClient(api: TicketApi, contractor_id: string): Promise<void> {
  const params = { path: { contractor_id } };
  await ok(() => api.PUT('/api/v3.0/clients/requests/{contractor_id}', { params }));
}

const fieldName = { fr: 'Référence GMAO', en: 'CMMS reference' };

async function referenceField(client: Api): Promise<string> {
  const list = { path: '/custom-fields', key: 'custom_fields' };
  const found = await findInList(client, list, ({ name }) => (name as typeof fieldName).en === fieldName.en);
  const made = found ?? ((await client.post(list.path, { name: fieldName }))['custom_field'] as { _id: string });
  return made['_id'] as string;
}

async function logIn(baseUrl: string, email: string): Promise<string> {
  const anybody = tsApi({ baseUrl });
  return (await ok(() => anybody.POST('/auth/login', { body: { email, password } }))).token;
}

/** Its token is shown once: one that an earlier start made is of no use any more. */
async function newToken(operator: TsApi): Promise<string> {
  const { items } = await ok(() => operator.GET('/api-tokens'));
  for (const { id } of items.filter(({ name }) => name === purchasingToken)) {
    await ok(() => operator.DELETE('/api-tokens/{id}', { params: { path: { id } } }));
  }
  return (await ok(() => operator.POST('/api-tokens', { body: { name: purchasingToken } }))).token;
}
