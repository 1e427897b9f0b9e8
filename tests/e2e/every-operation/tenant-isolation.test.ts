import { caller, type Member, newCompany, stack } from '../platform.ts';
import {
  callAs,
  isAdministration,
  isPublic,
  nameOf,
  type Operation,
  type Outcome,
  operations,
  outcomesOf,
  pathParameters,
  pathWith,
} from './operations.ts';
import { createResources, type Resources } from './resources.ts';

/** Runs over the documented operations: a new one is covered automatically, or fails because a value is missing. */
let all: Operation[];
let theirs: Resources;
let strangers: Member[];

beforeAll(async () => {
  [all, theirs, strangers] = await Promise.all([
    operations(),
    createResources(),
    Promise.all([newCompany('client'), newCompany('contractor')]),
  ]);
});

const guarded = () => all.filter((operation) => !isPublic(operation));
const ofCompanies = () => guarded().filter((operation) => !isAdministration(operation));

test('both APIs document their operations', () => {
  expect(all.filter(({ host }) => host === 'ticket').length).toBeGreaterThan(50);
  expect(all.filter(({ host }) => host === 'ts').length).toBeGreaterThan(15);
});

test('without credentials, or with bad ones, every operation answers 401', async () => {
  const answers = await Promise.all(
    guarded().flatMap((operation) => {
      const base = operation.host === 'ts' ? stack().tsApi : stack().ticketApi;
      const line = `${operation.method} ${pathWith(operation, theirs.ids)}`;
      return [undefined, 'fmt_wrong', 'a.b.c'].map(async (token) => {
        const { status, data } = await caller(base, token)(line);
        return { operation: nameOf(operation), status, code: data.code };
      });
    }),
  );
  expect(answers.filter(({ status, code }) => status !== 401 || code !== 'unauthorized')).toEqual([]);
});

/** A contractor has no directory, and a client is in none: 403 before anything is looked up. */
const isHidden = ({ status, code }: Outcome) =>
  status === 404 || ['clients_only', 'contractors_only'].includes(String(code));
const namesAThing = (operation: Operation) => pathParameters(operation).length > 0;

/** How a company reaches operations: the ticket API is on both hosts. */
const ways: [string, () => Operation[], typeof callAs][] = [
  ['on the host of its API', ofCompanies, callAs],
  [
    'on the host of the second API, by the cookie',
    () => ofCompanies().filter(({ host }) => host === 'ticket'),
    ({ session }, { method }, path) =>
      caller(stack().tsApi)(`${method} ${path}`, undefined, { cookie: `session=${session}` }),
  ],
];

describe.each(ways)('%s', (_way, reached, call) => {
  test("another company's things do not exist: 404 on every operation that names one, and nothing changes", async () => {
    const before = await snapshot();
    for (const stranger of strangers) {
      const outcomes = await outcomesOf(reached().filter(namesAThing), (operation) =>
        call(stranger, operation, pathWith(operation, theirs.ids)),
      );
      expect(outcomes.length).toBeGreaterThan(30);
      expect(outcomes.filter((outcome) => !isHidden(outcome))).toEqual([]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test('no list shows what belongs to another company', async () => {
    const lists = reached().filter((operation) => operation.method === 'GET' && !namesAThing(operation));
    const hidden = [...Object.values(theirs.ids), theirs.owner.companyId, theirs.owner.userId];
    for (const stranger of strangers) {
      for (const operation of lists) {
        const shown = JSON.stringify((await call(stranger, operation, operation.path)).data);
        expect([nameOf(operation), hidden.filter((id) => shown.includes(id))]).toEqual([nameOf(operation), []]);
      }
    }
  });
});

test('administration is closed to companies', async () => {
  const outcomes = await outcomesOf(all.filter(isAdministration), (operation) =>
    callAs(theirs.owner, operation, pathWith(operation, theirs.ids), {}),
  );
  expect(outcomes.length).toBeGreaterThan(10);
  expect(outcomes.filter(({ status }) => status !== 403)).toEqual([]);
});

test("another company's ids in a body or query are refused by name", async () => {
  const [client] = strangers as [Member, Member];
  const { location_id, equipment_id, job_id, domain_id, custom_field_id, contractor_id } = theirs.ids;
  const body = {
    title: 'x',
    location_ids: [location_id],
    equipment_ids: [equipment_id],
    job_ids: [job_id],
    domain_ids: [domain_id],
    manager_ids: [theirs.owner.userId],
    contact_ids: [theirs.owner.userId],
    fields: [{ field_id: custom_field_id, value: 'x' }],
  };
  const refused = await client.api('POST /tickets', body);
  expect(refused.status).toBe(422);
  const paths = refused.data.errors.map(({ path }: { path: string }) => path).sort();
  expect(paths).toEqual([
    'contact_ids.0',
    'domain_ids.0',
    'equipment_ids.0',
    'fields.0.field_id',
    'job_ids.0',
    'location_ids.0',
    'manager_ids.0',
  ]);
  const own = (await client.api('POST /tickets', { title: 'mine' })).data.ticket_id;
  expect((await client.api(`POST /tickets/${own}/assign`, { contractor_id })).status).toBe(422);
  expect((await client.api(`POST /tickets/${own}/propose`, { contractor_ids: [contractor_id] })).status).toBe(422);
  expect((await client.api('POST /locations', { name: 'x', parent_id: location_id })).status).toBe(422);
  const key = (await theirs.owner.api(`GET /tickets/${theirs.ids['ticket_id']}/documents`)).data.documents[0].s3_key;
  expect((await client.api(`GET /tickets/${own}/documents/download-link?s3_key=${key}`)).status).toBe(404);
});

/** What the owner reads. */
async function snapshot(): Promise<unknown> {
  const { owner, ids } = theirs;
  const [ticket, contractor, endpoint, tokens, locations, connections, invoice] = await Promise.all([
    owner.api(`GET /tickets/${ids['ticket_id']}`),
    owner.api(`GET /contractors/${ids['contractor_id']}`),
    owner.ts('GET /webhooks/endpoints'),
    owner.ts('GET /api-tokens'),
    owner.api('GET /locations'),
    owner.ts('GET /invoice-connections'),
    owner.ts(`GET /invoices/${ids['invoice_id']}`),
  ]);
  const quotes = ticket.data.quotes.map(({ download_url: _, ...quote }: { download_url: string }) => quote);
  // Polling changes it all the time.
  const connected = connections.data.map(({ lastPolledAt: _, ...connection }: Record<string, unknown>) => connection);
  // It is matched again by itself.
  const { rematchAt: _, ...shown } = invoice.data;
  const others = [contractor, endpoint, tokens, locations].map(({ data }) => data);
  return [{ ...ticket.data, quotes }, connected, shown, ...others];
}
