import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '@app/testing';
import { type Account, anInvoice, newAccount, newBuyer, ok, provider } from '../invoicing.ts';
import {
  type Call,
  type Contractor,
  caller,
  type Member,
  newCompany,
  newTicket,
  newUser,
  pdfForm,
  stack,
} from '../platform.ts';

/** A request that succeeds; `body` makes the same body anew, since a form can be sent once. */
export type Example = { call: Call; path: string; body: () => unknown };

/** Who acts in the examples. `shop` has nothing but webhook endpoints: no event leads to a delivery for it. */
export type World = {
  owner: Member;
  contractor: Contractor;
  shop: Member;
  account: Account;
  connectionId: string;
  /** Of all that acts here. */
  companies: Set<string>;
  /** Of the company that an example makes. */
  newCompanyName: string;
};

export async function newWorld(): Promise<World> {
  const [owner, shop] = await Promise.all([newCompany('client'), newCompany('client')]);
  const { contractor, account } = await newBuyer(owner);
  const { data } = await ok(account.connect());
  const companies = new Set([owner, contractor, shop].map(({ companyId }) => companyId));
  const newCompanyName = `Company of ${owner.companyId}`;
  return { owner, contractor, shop, account, connectionId: data.id, companies, newCompanyName };
}

/** Makes what a request needs, and the request. */
type MakeExample = (world: World) => Promise<Example>;

const example = (call: Call, path: string, body: () => unknown = () => ({})): Example => ({ call, path, body });
const unique = () => randomUUID();

/** A creation whose body needs nothing else. */
const creation =
  (path: string, body: (name: string) => object): MakeExample =>
  async ({ owner }) => {
    const sent = body(unique());
    return example(owner.api, path, () => sent);
  };

async function anotherCompany({ companies }: World): Promise<Member> {
  const company = await newCompany('client');
  companies.add(company.companyId);
  return company;
}

/** Uses a company of its own, so that nobody else is locked out. */
const administering =
  (what: 'close' | 'reopen' | 'exports'): MakeExample =>
  async (world) => {
    const { companyId } = await anotherCompany(world);
    return example(caller(stack().tsApi, stack().adminToken), `/admin/companies/${companyId}/${what}`);
  };

async function assigned({ owner, contractor }: World): Promise<string> {
  const ticket = await newTicket(owner);
  await ok(owner.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  return ticket;
}

async function proposed({ owner, contractor }: World): Promise<string> {
  const ticket = await newTicket(owner);
  await ok(owner.api(`POST ${ticket}/propose`, { contractor_ids: [contractor.id] }));
  return ticket;
}

const date = (type: 'planned' | 'actual') => {
  const start = Date.now() + (type === 'planned' ? 86_400_000 : -7_200_000);
  return { type, start, end: start + 3_600_000 };
};

type Move = {
  by?: 'owner' | 'contractor';
  from: (world: World) => Promise<string>;
  body?: (world: World) => object;
};
const move =
  (verb: string, { by = 'owner', from, body = () => ({}) }: Move): MakeExample =>
  async (world) =>
    example(world[by].api, `${await from(world)}/${verb}`, () => body(world));

/** Brings a ticket further by operations of its owner. */
const then =
  (from: Move['from'], ...lines: [verb: string, body?: object][]): Move['from'] =>
  async (world) => {
    const ticket = await from(world);
    for (const [verb, body = {}] of lines) {
      const [method, path] = verb.includes(' ') ? verb.split(' ') : ['POST', verb];
      await ok(world.owner.api(`${method} ${ticket}/${path}`, body));
    }
    return ticket;
  };
const opened = ({ owner }: World) => newTicket(owner);
const accepted: Move['from'] = async (world) => {
  const ticket = await proposed(world);
  await ok(world.contractor.api(`POST ${ticket}/accept`));
  return ticket;
};

const dated: Move['from'] = async (world) => {
  const ticket = await assigned(world);
  const { date: added } = (await ok(world.owner.api(`POST ${ticket}/dates`, date('planned')))).data;
  return `${ticket}/dates/${added._id}`;
};
const quoted: Move['from'] = async (world) => {
  const ticket = await assigned(world);
  const given = pdfForm({ reference: 'D-1', price: '10' });
  const { quote } = (await ok(world.contractor.api(`POST ${ticket}/quotes`, given))).data;
  return `${ticket}/quotes/${quote._id}`;
};

async function endpoint({ shop }: World): Promise<string> {
  // A company has at most ten endpoints.
  const { items } = (await ok(shop.ts('GET /webhooks/endpoints'))).data;
  if (items.length > 0) return `/webhooks/endpoints/${items[0].id}`;
  const body = { name: 'e', url: 'https://example.com/', events: ['ticket.status_changed'] };
  return `/webhooks/endpoints/${(await ok(shop.ts('POST /webhooks/endpoints', body))).data.id}`;
}

async function queuedInvoice({ account }: World): Promise<string> {
  return (await account.queued(await account.put(anInvoice()))).id;
}

async function clientView({ owner }: World, ticket: string): Promise<{ ticketId: string; viewId: string }> {
  const { _id, views } = (await ok(owner.api(`GET ${ticket}`))).data;
  return { ticketId: _id, viewId: views[0]._id };
}

const tickets = '/api/v3.0/tickets';

/** An example of every POST of the two APIs with a caller, and of every other operation that causes an event; a new one belongs here. */
export const examples: Record<string, MakeExample> = {
  [`ticket POST ${tickets}`]: creation('/tickets', (title) => ({ title })),
  'ticket POST /api/v3.0/contractors': creation('/contractors', (name) => ({ name })),
  'ticket POST /api/v3.0/locations': creation('/locations', (name) => ({ name })),
  'ticket POST /api/v3.0/equipments': creation('/equipments', (name) => ({ name })),
  'ticket POST /api/v3.0/jobs': creation('/jobs', (name) => ({ name })),
  'ticket POST /api/v3.0/domains': creation('/domains', (name) => ({ name })),
  'ticket POST /api/v3.0/custom-fields': creation('/custom-fields', (name) => ({ name: { fr: name, en: name } })),

  [`ticket POST ${tickets}/{ticket_id}/submit`]: move('submit', {
    from: ({ owner }) => newTicket(owner, { draft: true }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/qualify`]: move('qualify', { from: opened }),
  [`ticket POST ${tickets}/{ticket_id}/propose`]: move('propose', {
    from: opened,
    body: ({ contractor }) => ({ contractor_ids: [contractor.id] }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/accept`]: move('accept', { by: 'contractor', from: proposed }),
  [`ticket POST ${tickets}/{ticket_id}/decline`]: move('decline', { by: 'contractor', from: proposed }),
  [`ticket POST ${tickets}/{ticket_id}/assign`]: move('assign', {
    from: opened,
    body: ({ contractor }) => ({ contractor_id: contractor.id }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/take-charge`]: move('take-charge', { by: 'contractor', from: accepted }),
  [`ticket POST ${tickets}/{ticket_id}/unassign`]: move('unassign', { from: assigned }),
  [`ticket POST ${tickets}/{ticket_id}/ask-to-plan`]: move('ask-to-plan', { from: assigned }),
  [`ticket POST ${tickets}/{ticket_id}/ask-for-date`]: move('ask-for-date', { from: then(assigned, ['ask-to-plan']) }),
  [`ticket POST ${tickets}/{ticket_id}/reschedule`]: move('reschedule', {
    from: then(assigned, ['dates', date('planned')]),
  }),
  [`ticket POST ${tickets}/{ticket_id}/open`]: move('open', { from: then(assigned, ['PUT finish']) }),
  [`ticket POST ${tickets}/{ticket_id}/remove`]: move('remove', { from: opened }),
  [`ticket PUT ${tickets}/{ticket_id}/finish`]: move('finish', { from: assigned }),
  [`ticket PUT ${tickets}/{ticket_id}/close`]: move('close', { from: assigned }),
  [`ticket PUT ${tickets}/{ticket_id}/cancel`]: move('cancel', {
    from: opened,
    body: () => ({ reason_cancel: 'twice' }),
  }),
  [`ticket PUT ${tickets}/{ticket_id}/dates/{date_id}/not-done`]: move('not-done', { from: dated }),
  [`ticket PUT ${tickets}/{ticket_id}/quotes/{quote_id}/validate`]: move('validate', { from: quoted }),
  [`ticket PUT ${tickets}/{ticket_id}/quotes/{quote_id}/decline`]: move('decline', { from: quoted }),

  [`ticket POST ${tickets}/{ticket_id}/notes`]: move('notes', {
    from: opened,
    body: () => ({ note: 'Seen', type: 'public' }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/dates`]: async (world) => {
    const planned = date('planned');
    return example(world.owner.api, `${await assigned(world)}/dates`, () => planned);
  },
  [`ticket POST ${tickets}/{ticket_id}/quotes`]: move('quotes', {
    by: 'contractor',
    from: assigned,
    body: () => pdfForm({ reference: 'D-1', price: '10' }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/reports`]: move('reports', {
    by: 'contractor',
    from: assigned,
    body: () => pdfForm(),
  }),
  [`ticket POST ${tickets}/{ticket_id}/documents`]: move('documents', { from: opened, body: () => pdfForm() }),
  [`ticket POST ${tickets}/{ticket_id}/purchases`]: move('purchases', {
    from: opened,
    body: () => ({ kind: 'purchase_order', reference: 'BC-1' }),
  }),
  [`ticket POST ${tickets}/{ticket_id}/purchases/{purchase_id}/document`]: async (world) => {
    const ticket = await opened(world);
    const order = { kind: 'purchase_order', reference: 'BC-1' };
    const { purchase } = (await ok(world.owner.api(`POST ${ticket}/purchases`, order))).data;
    return example(world.owner.api, `${ticket}/purchases/${purchase.id}/document`, () => pdfForm());
  },

  'ts POST /api-tokens': async ({ owner }) => example(owner.ts, '/api-tokens', () => ({ name: 'erp' })),
  'ts POST /clock-settings/preview': async ({ owner }) =>
    example(owner.ts, '/clock-settings/preview', () => ({
      policies: [],
      hours: [],
      opened_at: '2026-11-27T16:40:00Z',
    })),
  'ts POST /imports/preview': async ({ owner }) => {
    const body = { kind: 'locations', csv: 'name\nA' };
    return example(owner.ts, '/imports/preview', () => body);
  },
  'ts POST /imports': async ({ owner }) => {
    const file = { kind: 'equipments', csv: `name\n${unique()}` };
    const { preview } = (await ok(owner.ts('POST /imports/preview', file))).data;
    return example(owner.ts, '/imports', () => ({ ...file, preview }));
  },
  'ts POST /exports': async ({ owner }) => {
    const { ts } = await newUser(owner.companyId, ['tickets']);
    return example(ts, '/exports', () => ({ download: '/api/v3.0/tickets/export' }));
  },
  'ts POST /auth/password': async ({ owner }) => {
    const user = await newUser(owner.companyId, []);
    const body = { current_password: user.password, new_password: unique() };
    return example(user.ts, '/auth/password', () => body);
  },
  'ts POST /company/users': async ({ owner }) => {
    const body = { email: `${unique()}@example.com`, first_name: 'A', last_name: 'B', permissions: [] };
    return example(owner.ts, '/company/users', () => body);
  },
  'ts POST /company/users/{id}/invitation': async ({ owner }) => {
    const body = { email: `${unique()}@example.com`, first_name: 'A', last_name: 'B', permissions: [] };
    const { data } = await ok(owner.ts('POST /company/users', body));
    return example(owner.ts, `/company/users/${data.id}/invitation`);
  },
  'ts POST /company/users/{id}/password-link': async ({ owner }) =>
    example(owner.ts, `/company/users/${owner.userId}/password-link`),
  'ts POST /company/users/{id}/erase': async ({ owner }) =>
    example(owner.ts, `/company/users/${(await newUser(owner.companyId, [])).userId}/erase`),
  'ts POST /admin/users/{id}/erase': async ({ owner }) => {
    const { userId } = await newUser(owner.companyId, []);
    return example(caller(stack().tsApi, stack().adminToken), `/admin/users/${userId}/erase`);
  },
  'ts POST /admin/companies': async ({ newCompanyName: name }) =>
    example(caller(stack().tsApi, stack().adminToken), '/admin/companies', () => ({ name, kind: 'client' })),
  'ts POST /admin/companies/{id}/close': administering('close'),
  'ts POST /admin/companies/{id}/reopen': administering('reopen'),
  'ts POST /admin/companies/{id}/exports': administering('exports'),
  'ts POST /admin/users': async ({ owner }) => {
    const password = randomBytes(12).toString('hex');
    const user = { email: `${unique()}@example.com`, password, first_name: 'A', last_name: 'B', permissions: [] };
    const body = { company_id: owner.companyId, ...user };
    return example(caller(stack().tsApi, stack().adminToken), '/admin/users', () => body);
  },

  'ts POST /webhooks/endpoints': async ({ shop }) => {
    const body = { name: unique(), url: 'https://example.com/', events: ['ticket.status_changed'] };
    return example(shop.ts, '/webhooks/endpoints', () => body);
  },
  'ts POST /webhooks/endpoints/{id}/test': async (world) => example(world.shop.ts, `${await endpoint(world)}/test`),
  'ts POST /webhooks/endpoints/{id}/recover': async (world) =>
    example(world.shop.ts, `${await endpoint(world)}/recover`, () => ({ since: '2026-01-01' })),
  'ts POST /webhooks/endpoints/{id}/redeliveries': async (world) =>
    example(world.shop.ts, `${await endpoint(world)}/redeliveries`, () => ({ status: 'exhausted' })),
  'ts POST /webhooks/endpoints/{id}/deliveries/{deliveryId}/redeliver': async (world) => {
    const path = await endpoint(world);
    await ok(world.shop.ts(`POST ${path}/test`));
    const { items } = (await ok(world.shop.ts(`GET ${path}/deliveries`))).data;
    return example(world.shop.ts, `${path}/deliveries/${items[0].id}/redeliver`);
  },

  'ts POST /invoice-connections': async (world) => {
    const account = await newAccount(await anotherCompany(world));
    const body = { provider: 'sandbox', apiKey: account.apiKey, webhookSecret: account.secret };
    return example(account.client.ts, '/invoice-connections', () => body);
  },
  'ts POST /invoice-connections/{id}/failures/{failureId}/retry': async ({ owner, connectionId }) => {
    const externalId = unique();
    await ok(provider()('POST /admin/faults', { kind: 'status', status: 422, on: externalId }));
    await ok(owner.ts('POST /invoices/resync', { provider: 'sandbox', externalId }));
    const path = `/invoice-connections/${connectionId}/failures`;
    const failure = await eventually(async () => {
      const [first] = (await ok(owner.ts(`GET ${path}`))).data.items;
      if (!first) throw new Error('no fetch has failed yet');
      return first;
    });
    return example(owner.ts, `${path}/${failure.id}/retry`);
  },
  // A company that nobody tells anything: a notification that comes between the answers would be counted in the second.
  'ts POST /notifications/read': async () =>
    example((await newCompany('client')).ts, '/notifications/read', () => ({ all: true })),
  'ts POST /invoice-connections/{id}/poll': async ({ owner, connectionId }) =>
    example(owner.ts, `/invoice-connections/${connectionId}/poll`),
  'ts POST /invoices/resync': async ({ owner, account }) => {
    const externalId = await account.put(anInvoice());
    return example(owner.ts, '/invoices/resync', () => ({ provider: 'sandbox', externalId }));
  },
  'ts POST /invoices/{id}/link': async (world) => {
    const body = await clientView(world, await opened(world));
    return example(world.owner.ts, `/invoices/${await queuedInvoice(world)}/link`, () => body);
  },
  'ts POST /invoices/{id}/unlink': async (world) => {
    const path = `/invoices/${await queuedInvoice(world)}`;
    await ok(world.owner.ts(`POST ${path}/link`, await clientView(world, await opened(world))));
    return example(world.owner.ts, `${path}/unlink`);
  },
  'ts POST /invoices/{id}/no-ticket': async (world) =>
    example(world.owner.ts, `/invoices/${await queuedInvoice(world)}/no-ticket`, () => ({ reason: 'A subscription' })),
  'ts POST /invoices/{id}/duplicate-of': async (world) => {
    const invoiceId = await queuedInvoice(world);
    const body = { invoiceId, reason: 'Sent twice' };
    return example(world.owner.ts, `/invoices/${await queuedInvoice(world)}/duplicate-of`, () => body);
  },
  'ts POST /invoices/{id}/refuse': async (world) => {
    const body = { code: 'recipient', reason: 'Not for us' };
    return example(world.owner.ts, `/invoices/${await queuedInvoice(world)}/refuse`, () => body);
  },
  'ts POST /invoices/{id}/status': async (world) => {
    const body = { status: 'refused', reason: 'recipient', note: 'Not for us' };
    return example(world.owner.ts, `/invoices/${await queuedInvoice(world)}/status`, () => body);
  },
  'ts POST /invoices/{id}/reopen': async (world) => {
    const path = `/invoices/${await queuedInvoice(world)}`;
    await ok(world.owner.ts(`POST ${path}/no-ticket`, { reason: 'A subscription' }));
    return example(world.owner.ts, `${path}/reopen`);
  },
  'ts POST /invoices/{id}/clear-review': async ({ owner, account }) => {
    const number = `FA-2026-${unique().slice(0, 8)}`;
    await account.queued(await account.put(anInvoice({ number })));
    const again = await account.put(anInvoice({ number: number.toLowerCase() }));
    const held = await eventually(async () => {
      const found = (await account.inReview()).find(({ externalId }) => externalId === again);
      if (!found) throw new Error(`${again} is not in review yet`);
      return found;
    });
    return example(owner.ts, `/invoices/${held.id}/clear-review`);
  },
};
