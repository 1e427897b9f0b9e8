import { invoiceFetched, invoiceGone } from '@app/contracts';
import { eventually } from '@app/testing';
import { anInvoice, type Connected, type Service, signed, startService, webhookPath } from './service.ts';

const hourMs = 3_600_000;

let service: Service;
/** By how much the clock of the service is ahead of the true time. */
let aheadMs = 0;
beforeAll(async () => {
  service = await startService({ now: () => new Date(Date.now() + aheadMs) });
});
afterEach(() => {
  aheadMs = 0;
});
afterAll(() => service.stop());

async function notify({ owner, webhookSecret }: Connected, ...ids: string[]) {
  const { raw, headers } = signed(owner.companyId, ids, webhookSecret);
  expect((await service.call('POST', webhookPath, { raw, headers })).status).toBe(202);
}
const about = (id: string) => [
  ...service.events(invoiceFetched).filter(({ external_id }) => external_id === id),
  ...service.events(invoiceGone).filter(({ external_id }) => external_id === id),
];

test('what is fetched later has the higher count: after a clock stepped back, a forgotten job and another connection', async () => {
  const connected = await service.connected();
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  const next = async (count: number, connection = connected) => {
    await notify(connection, id);
    await eventually(() => expect(about(id)).toHaveLength(count));
  };
  await next(1);
  aheadMs = -hourMs;
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  await next(2);
  service.sandbox.remove(connected.apiKey, id);
  await next(3);
  await service.jobs().deleteMany({ connectionId: connected.id });
  service.sandbox.put(connected.apiKey, anInvoice({ id }));
  await next(4);
  const { owner, apiKey, webhookSecret } = connected;
  await service.call('DELETE', `/invoice-connections/${connected.id}`, { as: owner });
  const body = { provider: 'sandbox', apiKey, webhookSecret };
  const made = await service.call('POST', '/invoice-connections', { as: owner, body });
  service.sandbox.put(connected.apiKey, { id, number: 'F-last' });
  await next(5, { ...connected, id: String(made.body['id']) });

  const fetched = service.events(invoiceFetched).filter(({ external_id }) => external_id === id);
  const [gone] = service.events(invoiceGone).filter(({ external_id }) => external_id === id);
  const counts = [fetched[0], fetched[1], gone, fetched[2], fetched[3]].map((event) => Number(event?.sequence));
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(new Set(counts).size).toBe(5);
  expect(String(fetched[1]?.fetched_at) < String(fetched[0]?.fetched_at)).toBe(true);
});
