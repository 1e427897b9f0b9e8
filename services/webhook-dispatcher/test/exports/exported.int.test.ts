import { subscribableEvents } from '@app/contracts';
import { newId } from '@app/kernel';
import { ensureIndexes, exportedRows, profiled, testDatabase } from '@app/testing';
import { type Delivery, deliveryStatuses } from '../../deliveries/delivery.ts';
import { createDeliveryLogStore } from '../../deliveries/delivery-log-store.ts';
import { createDeliveryStore } from '../../deliveries/delivery-store.ts';
import { createEndpointStore } from '../../endpoints/endpoint-store.ts';
import { exportSources } from '../../exports/export-sources.ts';
import { quietRelay } from '../quiet-relay.ts';

const [own, stranger] = [newId(), newId()];
const secret = 'sealed-so-that-nobody-sees-it';
let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const at = new Date();
const endpointOf = (companyId: string) => ({
  id: newId(),
  companyId,
  name: 'ERP',
  url: 'https://erp.example/',
  events: [...subscribableEvents],
  active: true,
  consecutiveFailures: 0,
  disabledReason: null,
  createdAt: at,
  updatedAt: at,
  sealedSecret: secret,
  customHeaders: { names: ['x-key'], sealed: secret },
});

test('endpoints come without their secrets, and every delivery once with what was sent, in whatever pages', async () => {
  const { connection } = database;
  const deliveries = createDeliveryStore(connection);
  const endpoints = createEndpointStore(connection, quietRelay);
  await ensureIndexes(connection);
  const made = [endpointOf(own), endpointOf(own), endpointOf(own), endpointOf(stranger)];
  for (const endpoint of made) await endpoints.add(endpoint, [], null);
  const [first, , third, theirs] = made as [(typeof made)[0], unknown, (typeof made)[0], (typeof made)[0]];
  const sent = [first, third, theirs].flatMap(({ id: endpointId }) =>
    // Several in one millisecond.
    Array.from({ length: 12 }, (_, n): Delivery => {
      const state = { status: deliveryStatuses[n % 5] as never, tries: 0, attempts: [], nextAttemptAt: null };
      const createdAt = new Date(at.getTime() - Math.floor(n / 3));
      const event = subscribableEvents[n % 4] as string;
      return { id: newId(), endpointId, event, body: JSON.stringify({ n, endpointId }), createdAt, ...state };
    }),
  );
  await deliveries.insert(sent.map((delivery) => ({ delivery, lease: null })));
  const sources = exportSources({ endpoints, log: createDeliveryLogStore(connection) });

  const shown = await exportedRows(sources['webhook_endpoints'], { id: own, kind: 'client' });
  expect(shown.rows.map(({ id, headers }) => [id, headers])).toEqual(
    made.slice(0, 3).map(({ id }) => [id, [{ name: 'x-key' }]]),
  );
  expect(shown.text).not.toContain(secret);

  let log = shown;
  const operations = await profiled(database, async () => {
    log = await exportedRows(sources['webhook_deliveries'], { id: own, kind: 'client' });
  });
  const expected = sent.filter(({ endpointId }) => endpointId !== theirs.id);
  expect(log.rows.map(({ id, body }) => `${id} ${JSON.stringify(body)}`).sort()).toEqual(
    expected.map(({ id, body }) => `${id} ${body}`).sort(),
  );
  const reads = operations.filter(({ ns }) => ns.endsWith('.deliveries'));
  expect(reads.length).toBeGreaterThan(17);
  expect(JSON.stringify(reads)).not.toMatch(/COLLSCAN|"hasSortStage":true/);
});
