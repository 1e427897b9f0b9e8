import { metrics } from '@app/runtime';
import { eventually, shiftClock } from '@app/testing';
import { anInvoice, type Service, startService } from '../service.ts';

const tenMinutesMs = 600_000;

let service: Service;
let putRight: () => void;
beforeAll(async () => {
  // This process, with the provider in it, is behind: as if the database's clock, which is the service's, were ahead.
  putRight = shiftClock(() => -tenMinutesMs);
  service = await startService({ now: () => new Date(Date.now() + tenMinutesMs) });
});
afterEach(() => service.sandbox.heal());
afterAll(async () => {
  await service.stop();
  putRight();
});

test('a database whose clock is ahead of the provider’s hides no change from the polls', async () => {
  const connected = await service.connected();
  const fetched = () => service.fetched(connected).map(({ external_id }) => external_id);
  // In the minutes that follow the creation of the connection.
  const { id } = service.sandbox.put(connected.apiKey, anInvoice());
  await service.pollAgain(connected);
  await eventually(() => expect(fetched()).toEqual([id]));
  service.sandbox.put(connected.apiKey, { id, number: 'F-changed' });
  const { id: later } = service.sandbox.put(connected.apiKey, anInvoice());
  await service.pollAgain(connected);
  await eventually(() => expect(fetched().sort()).toEqual([id, id, later].sort()));
});

test('by how much the clocks differ is a metric', async () => {
  service.sandbox.fail({ kind: 'clock', aheadMs: 0 });
  await service.pollAgain(await service.connected());
  const [, seconds] = /^provider_clock_skew_seconds\{provider="sandbox"\} (\S+)$/m.exec(await metrics.metrics()) ?? [];
  expect(Math.round(Number(seconds) / 600)).toBe(1);
});
