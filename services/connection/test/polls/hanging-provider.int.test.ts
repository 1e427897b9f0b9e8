import { startHttpServer } from '@app/demo';
import { eventually } from '@app/testing';
import { anAccountant, type Service, startService } from '../service.ts';

let service: Service;
let hanging: Awaited<ReturnType<typeof startHttpServer>>;
let calls = 0;
beforeAll(async () => {
  // It takes every request and answers none.
  const before = async () => {
    calls += 1;
    return true;
  };
  hanging = await startHttpServer(() => ({ status: 200, json: {} }), { port: 0, before });
  // Longer than the test: no poll of that provider ends.
  service = await startService({
    providers: { PROVIDER_PENNYLANE_URL: hanging.url },
    limits: { timeoutMs: 3_600_000, leaseMs: 3_600_000 },
  });
});
afterAll(async () => {
  await service.stop();
  await hanging.close();
});

test('a provider that hangs keeps none of the others from being polled', async () => {
  for (let count = 0; count < 12; count += 1) {
    const body = { provider: 'pennylane', apiKey: 'key' };
    expect((await service.call('POST', '/invoice-connections', { as: anAccountant(), body })).status).toBe(201);
  }
  await eventually(() => expect(calls).toBe(8));
  // It has been polled once.
  await service.connected();
  expect(calls).toBe(8);
});
