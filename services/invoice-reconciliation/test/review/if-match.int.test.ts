import { eventually } from '@app/testing';
import { type Service, useService, type World } from '../reconciliation.ts';
import { aTicket, viewOf } from '../snapshots.ts';

const odd = { ht: '7.00', tva: '1.40', ttc: '8.40' };

let service: Service;
let world: World;
// No rematches during these tests, and failed pushes are not retried.
useService({ settings: { rematchDelayMs: 600_000, pushRetryForMs: 0 } }, async (one) => {
  service = one;
  world = await service.world();
});
afterEach(() => service.fakes.say({ line: 204 }));

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

const own = () => ({ ticketId: world.ticket.id, viewId: viewOf(world.ticket) });

test('of two who link what they saw to different tickets one wins, and the other is told', async () => {
  const { id, version } = await anInvoiceSeen();
  expect(version).toMatch(/^"\d+"$/);
  const targets = [own(), anotherTicket()];
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
  await call(`POST /invoices/${linked.id}/link`, { body: own(), version: linked.version });
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
  expect((await call(`POST /invoices/${id}/link`, { body: own(), version })).status).toBe(502);
  service.fakes.say({ line: 204 });
  expect((await call(`POST /invoices/${id}/link`, { body: own(), version })).status).toBe(200);
  const elsewhere = anotherTicket();
  expect((await call(`POST /invoices/${id}/link`, { body: elsewhere })).status).toBe(200);
  await eventually(async () => expect((await seen(id)).data.ticket).toBe(elsewhere.ticketId));
});
