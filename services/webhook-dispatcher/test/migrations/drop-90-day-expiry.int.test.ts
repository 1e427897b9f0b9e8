import { runMigrations } from '@app/migrations';
import { ensureIndexes } from '@app/runtime';
import { testDatabase, testLogger } from '@app/testing';
import { deliveryCollection } from '../../deliveries/delivery-store.ts';
import { migrations } from '../../migrations/index.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const run = () => runMigrations({ connection: database.connection, migrations, logger: testLogger() });
const deliveries = () => deliveryCollection(database.connection);

test('the index of early versions, which deletes what waits, is dropped; the others stay', async () => {
  await deliveries().createIndex({ createdAt: 1 }, { name: 'kept90Days', expireAfterSeconds: 90 * 86_400 });
  await ensureIndexes(database.connection);
  await run();
  const names = (await deliveries().indexes()).map(({ name }) => name);
  expect(names).not.toContain('kept90Days');
  expect(names).toEqual(expect.arrayContaining(['keptFromMaking', 'keptFromBeginningAnew']));
});

test.each([
  ['a new platform', async () => undefined],
  ['a platform without it', () => ensureIndexes(database.connection)],
])('nothing is to be done on %s', async (_what, given) => {
  await given();
  expect(await run()).toEqual(['0001-drop-90-day-expiry']);
});
