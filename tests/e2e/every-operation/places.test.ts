import { eventually } from '@app/testing';
import { anInvoice } from '../invoicing.ts';
import { caller, logIn, type Member, newTicket, newUser, ok, stack } from '../platform.ts';
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

/** Of all documented operations: a new one is covered, or fails until it is said that what it names belongs to no place. */
let all: Operation[];
/** What there is of the company is elsewhere, or at no place. */
let theirs: Resources;
/** A colleague with every permission but `admin`, limited to a site. */
let limited: Member;
let site: string;

/** What every user of the company may see, wherever it is: the operations that name it by these ids or under these paths. */
const ofTheCompany = ['contractor_id', 'equipment_id', 'job_id', 'domain_id', 'custom_field_id'];
const pathsOfTheCompany = [
  '/api-tokens',
  '/auth/sessions',
  '/company/filters',
  '/company/users',
  '/invoice-connections',
];

beforeAll(async () => {
  [all, theirs] = await Promise.all([operations(), createResources()]);
  const { owner, ids } = theirs;
  const views = (await ok(owner.api(`GET /tickets/${ids['ticket_id']}`))).data.views;
  const link = { ticketId: ids['ticket_id'], viewId: views[0]._id };
  await ok(owner.ts(`POST /invoices/${ids['invoice_id']}/link`, link));
  // Once its provider knows that, it changes no more.
  await eventually(async () => expect((await theirs.account.read(String(ids['invoice_id']))).state).toBe('done'));
  site = await newPlace('Site');
  limited = await newLimited(site);
});

async function newPlace(name: string, parent_id: string | null = null): Promise<string> {
  return (await ok(theirs.owner.api('POST /locations', { name, parent_id }))).data.location._id;
}

async function newLimited(...place_ids: string[]): Promise<Member> {
  const { owner } = theirs;
  const user = await newUser(owner.companyId, ['tickets', 'accounting', 'api_webhooks']);
  await ok(owner.ts(`PATCH /company/users/${user.userId}`, { place_ids }));
  // With a new session, so that no cached one is still without the limit.
  return logIn(user);
}

const ofUsers = () => all.filter((operation) => !isPublic(operation) && !isAdministration(operation));
const belongsToTheCompany = (operation: Operation) =>
  pathParameters(operation).some((name) => ofTheCompany.includes(name)) ||
  pathsOfTheCompany.some((path) => operation.path.startsWith(`${path}/`));
const isHidden = ({ status, code }: Outcome) => status === 404 || (status === 403 && code === 'limited_to_places');

test('nothing elsewhere exists for a limited user, on every operation that names something of a place', async () => {
  const named = ofUsers().filter((one) => pathParameters(one).length > 0 && !belongsToTheCompany(one));
  const before = await snapshot();
  const outcomes = await outcomesOf(named, (operation) =>
    callAs(limited, operation, pathWith(operation, theirs.ids), {}),
  );
  expect(outcomes.length).toBeGreaterThan(60);
  expect(outcomes.filter((outcome) => !isHidden(outcome))).toEqual([]);
  expect(await snapshot()).toEqual(before);
});

test('no list shows it', async () => {
  const lists = ofUsers().filter((one) => one.method === 'GET' && pathParameters(one).length === 0);
  const names = ['ticket', 'date', 'quote', 'purchase', 'document', 'location', 'endpoint', 'invoice'];
  const hidden = names.map((name) => theirs.ids[`${name}_id`] as string);
  for (const operation of lists) {
    const shown = JSON.stringify((await callAs(limited, operation, operation.path)).data);
    expect([nameOf(operation), hidden.filter((id) => shown.includes(id))]).toEqual([nameOf(operation), []]);
  }
});

test('no figure counts it', async () => {
  const figures = ofUsers().filter(({ path }) => /\/(counts|totals|statistics)(\/|$)/.test(path));
  const ofAll = figures.filter((one) => pathParameters(one).length === 0);
  expect(ofAll.map(nameOf)).toEqual(
    expect.arrayContaining(['ticket GET /api/v3.0/tickets/counts', 'ts GET /invoices/counts']),
  );
  for (const operation of ofAll) {
    // `pending` has the changes of the company that are not counted yet.
    await eventually(async () => {
      const { status, data } = await callAs(limited, operation, operation.path);
      const shown = isHidden({ operation: '', status, code: data.code }) ? [] : numbersIn(data);
      expect([nameOf(operation), shown.filter((number) => number !== 0)]).toEqual([nameOf(operation), []]);
    });
  }
  const refused = await outcomesOf(ofAll, (operation) => callAs(limited, operation, operation.path));
  const isFigure = ({ operation }: Outcome) => operation.includes('/statistics/');
  expect(refused.filter((one) => isFigure(one) && isHidden(one))).toEqual([]);
});

/** All numbers but that up to which is counted. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === 'limit' ? [] : numbersIn(inner)));
}

test('its ids in a body or query find nothing', async () => {
  const { owner, account, ids } = theirs;
  const refused = await limited.api('POST /tickets', { title: 'x', location_ids: [ids['location_id']] });
  expect([refused.status, refused.data.errors[0].path]).toEqual([422, 'location_ids.0']);
  const { number, views } = (await ok(owner.api(`GET /tickets/${ids['ticket_id']}`))).data;
  expect((await limited.api(`GET /tickets/get-id-from-number?ticket_number=${number}`)).status).toBe(404);
  expect((await limited.api(`GET /tickets?q=${number}`)).data.tickets).toEqual([]);
  const { id } = await account.queued(await account.put(anInvoice()));
  const link = { ticketId: ids['ticket_id'], viewId: views[0]._id };
  expect((await limited.ts(`POST /invoices/${id}/link`, link)).status).toBe(404);
  expect((await limited.ts(`GET /invoices/${id}/candidates?q=${number}`)).data.items).toEqual([]);
  const same = { reason: 'sent twice', invoiceId: ids['invoice_id'] };
  expect((await limited.ts(`POST /invoices/${id}/duplicate-of`, same)).data.code).toBe('invalid_duplicate');
});

test('what is at the place and below it is there, by session and by API token, until it or the limit is moved', async () => {
  const { owner } = theirs;
  const room = await newPlace('Room', site);
  const ticket = await newTicket(owner, { location_ids: [room] });
  const token = (await ok(limited.ts('POST /api-tokens', { name: 'of a limited user' }))).data.token;
  const byToken = caller(`${stack().ticketApi}/api/v3.0`, token);
  const seen = async () => [
    (await limited.api(`GET ${ticket}`)).status,
    (await byToken(`GET ${ticket}`)).status,
    (await limited.ts(`GET /invoice-${ticket.slice(1)}`)).status,
    (await limited.api('GET /tickets')).data.tickets.length,
    (await byToken('GET /tickets')).data.tickets.length,
  ];
  // A new place counts within seconds, as a moved one does.
  await eventually(async () => expect(await seen()).toEqual([200, 200, 200, 1, 1]));
  expect((await byToken(`GET /tickets/${theirs.ids['ticket_id']}`)).status).toBe(404);
  await ok(owner.api(`PATCH /locations/${room}`, { parent_id: theirs.ids['location_id'] }));
  await eventually(async () => expect(await seen()).toEqual([404, 404, 404, 0, 0]));
  await ok(owner.ts(`PATCH /company/users/${limited.userId}`, { place_ids: [room] }));
  await eventually(async () => expect(await seen()).toEqual([200, 200, 200, 1, 1]));
});

test('who is admin is not limited, and who is limited is not made admin', async () => {
  const { owner } = theirs;
  const { userId } = await newLimited(site);
  const refused = await owner.ts(`PATCH /company/users/${userId}`, { permissions: ['admin'] });
  expect([refused.status, refused.data.errors[0].path]).toEqual([422, 'place_ids']);
  await ok(owner.ts(`PATCH /company/users/${userId}`, { permissions: ['admin'], place_ids: [] }));
  expect((await owner.ts(`PATCH /company/users/${userId}`, { place_ids: [site] })).status).toBe(422);
});

/** What the owner reads. */
async function snapshot(): Promise<unknown> {
  const { owner, ids } = theirs;
  const [ticket, notes, endpoints, locations, invoice] = await Promise.all([
    owner.api(`GET /tickets/${ids['ticket_id']}`),
    owner.api(`GET /tickets/${ids['ticket_id']}/notes`),
    owner.ts('GET /webhooks/endpoints'),
    owner.api('GET /locations'),
    owner.ts(`GET /invoices/${ids['invoice_id']}`),
  ]);
  const quotes = ticket.data.quotes.map(({ download_url: _, ...quote }: { download_url: string }) => quote);
  return [{ ...ticket.data, quotes }, notes.data, endpoints.data, locations.data, invoice.data.state];
}
