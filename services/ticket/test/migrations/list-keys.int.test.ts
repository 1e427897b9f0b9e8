import { newId } from '@app/kernel';
import { runMigrations } from '@app/migrations';
import { ensureIndexes } from '@app/runtime';
import { testDatabase, testLogger } from '@app/testing';
import { migrations } from '../../migrations/index.ts';
import { facetsOf, searchKeys } from '../../tickets/lists/list-keys.ts';
import {
  type StoredTicket,
  type StoredView,
  storedForm,
  ticketCollection,
} from '../../tickets/stores/ticket-collection.ts';
import { aContractor, aTicket, proposedTo } from '../tickets/fixtures.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeEach(async () => {
  database = await testDatabase();
  await ensureIndexes(database.connection);
});
afterEach(() => database.drop());

const run = () => runMigrations({ connection: database.connection, migrations, logger: testLogger() });
const collection = () => ticketCollection(database.connection);
const stored = (_id: string) => collection().findOne({ _id });
const runAgain = async (...ids: string[]) => {
  await database.connection.collection('migrations').deleteMany({ _id: { $in: ids as never[] } });
  return run();
};

test('tickets of early versions get their keys, and others stay as they are', async () => {
  const old = proposedTo('proposed', aContractor(), aContractor());
  const recent = storedForm(aTicket({ _id: newId(), number: 'T-000002', title: 'Ascenseur' }));
  await collection().insertMany([old, recent] as StoredTicket[]);
  expect(await run()).toEqual(migrations.map(({ id }) => id));
  expect(await stored(old._id)).toEqual(storedForm(old));
  expect(await stored(recent._id)).toEqual(recent);
  expect(await run()).toEqual([]);
});

test('what replicas of the release before wrote while the keys came is found after the release that follows', async () => {
  await run();
  // The release before created this ticket,
  const created = aTicket({ _id: newId(), number: 'T-000002', title: 'Ascenseur' });
  // proposed this one to another contractor, and knew of no keys,
  const proposed = proposedTo('proposed', aContractor(), aContractor());
  const [client, ...contractors] = storedForm(proposed).views;
  // and changed the priority of this one, but not its keys.
  const changed = aTicket({ _id: newId(), number: 'T-000003', priority: 'high' });
  const former = storedForm({ ...changed, priority: 'low' });
  await collection().insertMany([
    created,
    { ...storedForm(proposed), views: [client, ...contractors.map(({ facets: _, ...view }: StoredView) => view)] },
    { ...former, priority: 'high' },
  ] as StoredTicket[]);

  expect(await runAgain('0003-ticket-list-keys-again')).toEqual(['0003-ticket-list-keys-again']);
  for (const ticket of [created, proposed, changed]) {
    const found = await stored(ticket._id);
    expect(found?.search).toEqual(searchKeys(ticket));
    expect(found?.views.map(({ facets }) => facets)).toEqual(ticket.views.map((view) => facetsOf(ticket, view)));
  }
});
