import { type AuditRecord, auditRecorded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { type Client, type Service, useService, type World } from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };

let service: Service;
let world: World;
// No rematches during these tests, and failed pushes are not retried.
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, async (one) => {
  service = one;
  world = await service.world();
});
afterEach(() => service.fakes.say({ line: 204, resync: 202 }));

const queued = async (given: object = {}) => service.ingest(world.id, { amounts: odd, ...given });
const to = ({ ticket }: World) => ({ ticketId: ticket.id, viewId: viewOf(ticket) });
const read = async (client: Client, id: string) => (await client.call('get', `/invoices/${id}`)).data;

test('link, read, unlink: the line is pushed before the response, the invoice leaves the queue and comes back', async () => {
  const invoice = await queued();
  const linked = await world.client.call('post', `/invoices/${invoice._id}/link`, to(world));
  expect([linked.status, linked.data]).toEqual([200, { ok: true }]);
  const line = service.fakes.lines.at(-1);
  expect(line).toMatchObject({
    path: `/internal/tickets/${world.ticket.id}/invoice-lines/${invoice._id}`,
    line: { version: 1, line: { view_id: viewOf(world.ticket), price: '7', amounts: { ht: 7, tva: 1.4, ttc: 8.4 } } },
  });
  const shown = await read(world.client, invoice._id);
  expect(shown).toMatchObject({ ticket: world.ticket.id, view: viewOf(world.ticket), feedback: { result: 'pending' } });
  expect(shown.history.map((one: { to: string }) => one.to)).toContain('linked');

  const count = service.fakes.lines.length;
  expect((await world.client.call('post', `/invoices/${invoice._id}/link`, to(world))).status).toBe(200);
  expect(service.fakes.lines).toHaveLength(count);
  expect((await read(world.client, invoice._id)).history).toEqual(shown.history);

  for (let twice = 0; twice < 2; twice++) {
    expect((await world.client.call('post', `/invoices/${invoice._id}/unlink`)).data).toEqual({ ok: true });
  }
  expect(service.fakes.lines.at(-1)).toMatchObject({
    path: `/internal/tickets/${world.ticket.id}/invoice-lines/${invoice._id}`,
    line: { version: 2, line: null },
  });
  expect(await read(world.client, invoice._id)).toMatchObject({ state: 'ticket_unmatched', ticket: null });
  const { items } = (await world.client.call('get', '/invoices?limit=200')).data;
  expect(items.map(({ id }: { id: string }) => id)).toContain(invoice._id);
});

test('a link to another ticket moves the line', async () => {
  const invoice = await queued();
  const second = aTicket(world.contractor);
  service.fakes.tickets.set(second.id, second);
  await world.client.call('post', `/invoices/${invoice._id}/link`, to(world));
  const moved = { ticketId: second.id, viewId: viewOf(second, 'client') };
  expect((await world.client.call('post', `/invoices/${invoice._id}/link`, moved)).status).toBe(200);
  expect(service.fakes.lines.at(-1)).toMatchObject({ line: { version: 2, line: { ticket_id: second.id } } });
  expect(await read(world.client, invoice._id)).toMatchObject({ ticket: second.id, view: moved.viewId });
});

test('taken from a ticket where no person had put it, or from the second one, it shows at once what it may belong to', async () => {
  const own = await service.world();
  const [byMachine, moved] = [
    await service.ingest(own.id, { references: { purchase_order: own.order } }),
    await service.ingest(own.id, { amounts: { ht: '97.00', tva: '19.40', ttc: '116.40' } }),
  ];
  expect(byMachine.ticket_id).toBe(own.ticket.id);
  const second = aTicket(own.contractor);
  service.fakes.tickets.set(second.id, second);
  for (const ticket of [own.ticket, second]) {
    const body = { ticketId: ticket.id, viewId: viewOf(ticket) };
    expect((await own.client.call('post', `/invoices/${moved._id}/link`, body)).status).toBe(200);
  }
  const undo = { keepCandidate: true };
  expect((await own.client.call('post', `/invoices/${byMachine._id}/unlink`, undo)).status).toBe(200);
  expect(await read(own.client, byMachine._id)).toMatchObject({
    ...{ state: 'ticket_unmatched', ticket: null },
    suggestions: [{ ticketId: own.ticket.id, score: 100 }],
  });
  expect((await own.client.call('post', `/invoices/${moved._id}/unlink`)).status).toBe(200);
  const { state, suggestions } = await read(own.client, moved._id);
  const suggested = suggestions.map(({ ticketId }: { ticketId: string }) => ticketId);
  expect([state, suggested]).toEqual(['ticket_unmatched', [own.ticket.id]]);
});

test('a ticket or view that the projections lack is read from the ticket service', async () => {
  const invoice = await queued();
  const late = {
    id: newId(),
    role: 'contractor',
    company_id: null,
    contractor_id: newId(),
    state: 'pending',
    status: 'proposed',
  } as const;
  service.fakes.tickets.set(world.ticket.id, { ...world.ticket, version: 2, views: [...world.ticket.views, late] });
  const answer = await world.client.call('post', `/invoices/${invoice._id}/link`, {
    ticketId: world.ticket.id,
    viewId: late.id,
  });
  expect(answer.status).toBe(200);
});

test('the audit log is told once of each link and unlink by a person, and not of those by matching', async () => {
  const own = await service.world();
  const { _id: id, canonical } = await service.ingest(own.id, { references: { purchase_order: own.order } });
  const audited = () =>
    service.events
      .filter(({ type }) => type === auditRecorded.type)
      .map(({ data }) => data as AuditRecord)
      .filter(({ target }) => target?.id === id);
  const twice = async (path: string, body?: object) => {
    const headers = { 'x-forwarded-for': '192.0.2.7', 'user-agent': 'a browser' };
    for (const _ of [1, 2]) {
      expect((await own.client.call('post', `/invoices/${id}/${path}`, body, headers)).status).toBe(200);
    }
  };
  const [on, off] = [
    [own.ticket.id, viewOf(own.ticket)],
    [null, null],
  ];
  const record = (action: string, [before, after]: (string | null)[][]) => ({
    company_id: own.id,
    action,
    actor: { kind: 'user', user_id: own.client.caller.userId, credential: 'session', api_token_id: null },
    from: { address: '192.0.2.7', user_agent: 'a browser' },
    target: { kind: 'invoice', id, name: canonical?.number },
    details: {
      changes: ['ticket_id', 'view_id'].map((field, at) => ({ field, before: before?.[at], after: after?.[at] })),
      ...{ reason: null, count: null },
    },
  });
  await twice('unlink');
  await twice('link', to(own));
  await twice('unlink', { keepCandidate: true });
  // Events come in order: one that was published twice, or for the first link, would come before
  // the last.
  await eventually(() => expect(audited().length).toBeGreaterThanOrEqual(3));
  expect(audited()).toEqual([
    record('invoice.unlinked', [on, off]),
    record('invoice.linked', [off, on]),
    record('invoice.unlinked', [on, off]),
  ]);
});

test('ten concurrent links make one line', async () => {
  const invoice = await queued();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => world.client.call('post', `/invoices/${invoice._id}/link`, to(world))),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  const { line_version, history } = (await service.invoice(invoice)) ?? {};
  expect(line_version).toBe(1);
  expect(history?.filter((move) => move.to === 'linked')).toHaveLength(1);
});

test('from a ticket that is not there any more nothing has to be taken off, and nothing can be put on it', async () => {
  const [linked, unlinked] = [await queued(), await queued()];
  await world.client.call('post', `/invoices/${unlinked._id}/link`, to(world));
  service.fakes.say({ line: 404 });
  expect((await world.client.call('post', `/invoices/${linked._id}/link`, to(world))).status).toBe(502);
  expect((await world.client.call('post', `/invoices/${unlinked._id}/unlink`)).data).toEqual({ ok: true });
  service.fakes.say({ line: 204 });
});

test.each([
  ['hang', 504, 'service_timeout'],
  [500, 502, 'service_unavailable'],
  [409, 502, 'service_unavailable'],
] as const)(
  'a link or unlink that the ticket service does not accept (%s) fails, and a repetition completes it',
  async (line, status, code) => {
    const [linked, unlinked] = [await queued(), await queued()];
    await world.client.call('post', `/invoices/${unlinked._id}/link`, to(world));
    const calls = [
      () => world.client.call('post', `/invoices/${linked._id}/link`, to(world)),
      () => world.client.call('post', `/invoices/${unlinked._id}/unlink`),
    ];
    service.fakes.say({ line });
    const refused = await Promise.all(calls.map((call) => call()));
    expect(refused.map((answer) => [answer.status, answer.data.code])).toEqual(calls.map(() => [status, code]));
    expect(refused[0]?.data.error).toMatch(/what you sent is saved, .* send the same request again/);
    expect((await service.invoice(linked))?.ticket_id).toBe(world.ticket.id);

    service.fakes.say({ line: 204 });
    service.fakes.lines.length = 0;
    for (let twice = 0; twice < 2; twice++) {
      for (const call of calls) expect((await call()).data).toEqual({ ok: true });
    }
    expect(service.fakes.lines).toMatchObject([
      { path: `/internal/tickets/${world.ticket.id}/invoice-lines/${linked._id}`, line: { version: 1 } },
      { path: `/internal/tickets/${world.ticket.id}/invoice-lines/${unlinked._id}`, line: { version: 2, line: null } },
    ]);
  },
);
