import { type AuditRecord, auditRecorded } from '@app/contracts';
import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { link, near, odd, quiet, read, toView, useService, useWorld, type World } from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

// Failed pushes are not retried.
const service = useService({ ...quiet, ticketTimeouts: { pushForMs: 0, pushTimeoutMs: 10_000 } });
const world = useWorld(service);
afterEach(() => service.fakes.say({ line: 204 }));

const vatMissing = { ht: '100.00', tva: '1.00', ttc: '120.00' };
const undo = ({ client }: World, id: string) => client.call('post', `/invoices/${id}/unlink`, { keepCandidate: true });
const queued = () => service.ingest(world.id, { amounts: odd });

test('link, read, unlink: the line is pushed before the response, the invoice leaves the queue and comes back', async () => {
  const invoice = await queued();
  const linked = await link(world, invoice._id);
  expect([linked.status, linked.data]).toEqual([200, { ok: true }]);
  const line = service.fakes.lines.at(-1);
  expect(line).toMatchObject({
    path: `/internal/tickets/${world.ticket.id}/invoice-lines/${invoice._id}`,
    line: { version: 1, line: { view_id: viewOf(world.ticket), price: '7', amounts: { ht: 7, tva: 1.4, ttc: 8.4 } } },
  });
  const shown = await read(world, invoice._id);
  expect(shown).toMatchObject({ ticket: world.ticket.id, view: viewOf(world.ticket), feedback: { result: 'pending' } });
  expect(shown.history.map((one: { to: string }) => one.to)).toContain('linked');

  const count = service.fakes.lines.length;
  expect((await link(world, invoice._id)).status).toBe(200);
  expect(service.fakes.lines).toHaveLength(count);
  expect((await read(world, invoice._id)).history).toEqual(shown.history);

  for (let twice = 0; twice < 2; twice++) {
    expect((await world.client.call('post', `/invoices/${invoice._id}/unlink`)).data).toEqual({ ok: true });
  }
  expect(service.fakes.lines.at(-1)).toMatchObject({
    path: `/internal/tickets/${world.ticket.id}/invoice-lines/${invoice._id}`,
    line: { version: 2, line: null },
  });
  expect(await read(world, invoice._id)).toMatchObject({ state: 'ticket_unmatched', ticket: null });
  const { items } = (await world.client.call('get', '/invoices?limit=200')).data;
  expect(items.map(({ id }: { id: string }) => id)).toContain(invoice._id);
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
  expect(await read(own, byMachine._id)).toMatchObject({
    state: 'ticket_unmatched',
    ticket: null,
    suggestions: [{ ticketId: own.ticket.id, score: 100 }],
  });
  expect((await own.client.call('post', `/invoices/${moved._id}/unlink`)).status).toBe(200);
  const { state, suggestions } = await read(own, moved._id);
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
      reason: null,
      count: null,
    },
  });
  await twice('unlink');
  await twice('link', toView(own));
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
  await Promise.all(Array.from({ length: 10 }, () => link(world, invoice._id)));
  expect((await link(world, invoice._id)).status).toBe(200);
  const { line_version, history } = (await service.invoice(invoice)) ?? {};
  expect(line_version).toBe(1);
  expect(history?.filter((move) => move.to === 'linked')).toHaveLength(1);
});

test('from a ticket that is not there any more nothing has to be taken off, and nothing can be put on it', async () => {
  const [linked, unlinked] = [await queued(), await queued()];
  await link(world, unlinked._id);
  service.fakes.say({ line: 404 });
  expect((await link(world, linked._id)).status).toBe(502);
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
    await link(world, unlinked._id);
    const calls = [() => link(world, linked._id), () => world.client.call('post', `/invoices/${unlinked._id}/unlink`)];
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

const call = (line: string, { body, version }: { body?: object; version?: string } = {}) => {
  const [method = '', path = ''] = line.split(' ');
  return world.client.call(method, path, body, version === undefined ? {} : { 'If-Match': version });
};

async function anInvoiceSeen(given: object = {}) {
  const { _id: id } = await service.ingest(world.id, { amounts: odd, ...given });
  return { id, ...(await seen(id)) };
}

async function seen(id: string) {
  const { data, headers } = await call(`GET /invoices/${id}`);
  return { data, version: String(headers['etag']) };
}

/** A view of another ticket of the contractor, to link to. */
function anotherTicket() {
  const ticket = aTicket(world.contractor);
  service.fakes.tickets.set(ticket.id, ticket);
  return { ticketId: ticket.id, viewId: viewOf(ticket) };
}

test('an undone link leaves the invoice as it was: in the queue, with its suggestions, and the ticket not refused', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: near });
  const before = await read(own, _id);
  expect(before.suggestions).toMatchObject([{ ticketId: own.ticket.id }]);
  await link(own, _id);
  for (let twice = 0; twice < 2; twice++) expect((await undo(own, _id)).data).toEqual({ ok: true });
  expect(service.fakes.lines.at(-1)).toMatchObject({
    path: `/internal/tickets/${own.ticket.id}/invoice-lines/${_id}`,
    line: { version: 2, line: null },
  });
  const after = await read(own, _id);
  for (const field of ['state', 'ticket', 'suggestions', 'flags', 'supplierId'])
    expect([field, after[field]]).toEqual([field, before[field]]);
  const { userId } = own.client.caller;
  expect(after.history.at(-1)).toMatchObject({
    to: 'ticket_unmatched',
    reasonCodes: [{ code: 'link_undone', values: {} }],
    by: { id: userId },
  });
});

test('a link that overrode reasons for review takes the invoice back into review, once', async () => {
  const own = await service.world();
  const { _id } = await service.ingest(own.id, { amounts: vatMissing });
  await link(own, _id);
  expect(await read(own, _id)).toMatchObject({ state: 'feedback_pending', reasons: [] });
  const answers = await Promise.all([undo(own, _id), undo(own, _id), undo(own, _id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const after = await read(own, _id);
  expect(after).toMatchObject({ state: 'manual_review', ticket: null, reasons: ['amounts_inconsistent'] });
  expect(after.history.filter(({ to: state }: { to: string }) => state === 'manual_review')).toHaveLength(2);
  // The reason is not overridden any more: clearing it is a decision of its own.
  expect((await own.client.call('post', `/invoices/${_id}/unlink`)).status).toBe(409);
  expect((await own.client.call('post', `/invoices/${_id}/clear-review`)).status).toBe(200);
});

test('of two who link what they saw to different tickets one wins, and the other is told', async () => {
  const { id, version } = await anInvoiceSeen();
  expect(version).toMatch(/^"\d+"$/);
  const targets = [toView(world), anotherTicket()];
  const answers = await Promise.all(targets.map((body) => call(`POST /invoices/${id}/link`, { body, version })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  const lost = answers.find(({ status }) => status === 412);
  expect(lost?.data).toMatchObject({ code: 'precondition_failed', error: expect.stringContaining('read it again') });
  const won = answers.findIndex(({ status }) => status === 200);
  const after = await seen(id);
  expect(after.data.ticket).toBe(targets[won]?.ticketId);
  expect(after.version).toBe(answers[won]?.headers['etag']);
  // The ticket of the one who lost has never had the line.
  const lines = service.fakes.lines.filter(({ path }) => path.endsWith(id));
  expect(lines.map(({ path }) => path.split('/')[3])).toEqual([targets[won]?.ticketId]);
});

test('whoever saw another version unlinks and clears nothing, whatever else would be refused', async () => {
  const linked = await anInvoiceSeen();
  await call(`POST /invoices/${linked.id}/link`, { body: toView(world), version: linked.version });
  const reviewed = await anInvoiceSeen({ amounts: { ...odd, ttc: '9.00' } });
  expect(reviewed.data.state).toBe('manual_review');
  const stale = [
    [`POST /invoices/${linked.id}/link`, linked.version, anotherTicket()],
    [`POST /invoices/${linked.id}/unlink`, linked.version, { keepCandidate: true }],
    [`POST /invoices/${linked.id}/unlink`, linked.version],
    // Forbidden in its state, too.
    [`POST /invoices/${linked.id}/clear-review`, linked.version],
    [`POST /invoices/${reviewed.id}/clear-review`, '"0"'],
    [`POST /invoices/${reviewed.id}/clear-review`, `W/${reviewed.version}`],
  ] as const;
  for (const [line, version, body = {}] of stale) {
    const { status, data } = await call(line, { body, version });
    expect([line, status, data.code]).toEqual([line, 412, 'precondition_failed']);
  }
  expect((await seen(linked.id)).data.ticket).toBe(world.ticket.id);
  expect((await seen(reviewed.id)).data.state).toBe('manual_review');
  const current = await seen(linked.id);
  for (const [line, version] of [
    [`POST /invoices/${linked.id}/unlink`, current.version],
    [`POST /invoices/${reviewed.id}/clear-review`, reviewed.version],
  ] as const) {
    const { status, headers } = await call(line, { version });
    expect([line, status]).toEqual([line, 200]);
    expect(headers['etag']).not.toBe(version);
  }
});

test('a link whose answer was lost may be sent again as it was; without If-Match a link moves, as before', async () => {
  const { id, version } = await anInvoiceSeen();
  service.fakes.say({ line: 500 });
  expect((await call(`POST /invoices/${id}/link`, { body: toView(world), version })).status).toBe(502);
  service.fakes.say({ line: 204 });
  expect((await call(`POST /invoices/${id}/link`, { body: toView(world), version })).status).toBe(200);
  const elsewhere = anotherTicket();
  expect((await call(`POST /invoices/${id}/link`, { body: elsewhere })).status).toBe(200);
  await eventually(async () => expect((await seen(id)).data.ticket).toBe(elsewhere.ticketId));
});
