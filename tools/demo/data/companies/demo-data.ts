import { type Api, createApi, ensure, ensureAll, type Item } from './demo-api.ts';
import * as content from './demo-content.ts';

export type Account = { email: string; password: string; who: string };

type DemoOptions = {
  /** Where the gateway answers: the ticket API, and the second API. */
  ticketApi: string;
  tsApi: string;
  adminToken: string;
  env: NodeJS.ProcessEnv;
  say: (text: string) => void;
};

/**
 * Fills the platform with a client, two contractors, and tickets, through its public APIs alone.
 * What is there already stays as it is, so it may run at every start.
 * @returns the accounts to log in with; none if it failed, which `say` reports
 */
export async function addDemoData(options: DemoOptions): Promise<Account[]> {
  if (options.env['NODE_ENV'] === 'production') {
    options.say('NODE_ENV=production: the demo data is left out, its passwords are known to everyone');
    return [];
  }
  try {
    const companies = await addCompaniesAndUsers(createApi(options.tsApi, options.adminToken));
    const apiOf = async (company: string) =>
      createApi(`${options.ticketApi}/api/v3.0`, await login(options.tsApi, company));
    await addClientData(apiOf, companies);
    return content.users.map(({ email, company, may }) => ({
      email,
      password: content.demoPassword,
      who: `${company}, ${may.join(', ')}`,
    }));
  } catch (error) {
    options.say(`The demo data could not be added: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}

/** @returns the id of each company, by its name */
async function addCompaniesAndUsers(api: Api): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const company of [content.client, ...content.contractors]) {
    const made = await ensure(api, { path: '/admin/companies', key: 'items' }, company, 'name');
    ids.set(company.name, made['id'] as string);
  }
  for (const { company, may, ...user } of content.users) {
    const account = { ...user, company_id: ids.get(company), password: content.demoPassword, permissions: may };
    await ensure(api, { path: '/admin/users', key: 'items' }, account, 'email');
  }
  return ids;
}

/** Logs the first user of a company in. */
async function login(tsApi: string, company: string): Promise<string> {
  const email = content.users.find((user) => user.company === company)?.email;
  const session = await createApi(tsApi).post('/auth/login', { email, password: content.demoPassword });
  return session['token'] as string;
}

async function addClientData(apiOf: (company: string) => Promise<Api>, companies: Map<string, string>): Promise<void> {
  const api = await apiOf(content.client.name);
  const directory = await ensureAll(
    api,
    { path: '/contractors', key: 'contractors', one: null },
    content.contractors.map(({ name, siret }) => ({ name, siret, company_id: companies.get(name) })),
  );
  for (const [index, { name }] of content.contractors.entries()) {
    await (await apiOf(name)).put(`/clients/requests/${directory[index]}`);
  }
  const locations = await ensureAll(api, { path: '/locations', key: 'locations', one: 'location' }, content.locations);
  const equipments = await ensureAll(
    api,
    { path: '/equipments', key: 'equipments', one: 'equipment' },
    content.equipments,
  );
  const jobs = await ensureAll(api, { path: '/jobs', key: 'jobs', one: 'job' }, content.jobs);
  const oldest = ((await api.get('/tickets?limit=200'))['tickets'] as Item[]).map(({ title }) => title);
  for (const { move, to, location, equipment, job, ...ticket } of content.tickets) {
    if (oldest.includes(ticket.title)) continue;
    const where = { location_ids: [locations[location]], equipment_ids: [equipments[equipment]], job_ids: [jobs[job]] };
    const { ticket_id: id } = await api.post('/tickets', { ...ticket, ...where });
    const named = to.map((position) => directory[position]);
    if (move === 'assign') await api.post(`/tickets/${id}/assign`, { contractor_id: named[0] });
    if (move === 'propose') await api.post(`/tickets/${id}/propose`, { contractor_ids: named });
  }
}
