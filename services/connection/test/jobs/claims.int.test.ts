import { newId } from '@app/kernel';
import { createRelay } from '@app/messaging';
import { testDatabase, testInfra, testLogger } from '@app/testing';
import { createConnection } from 'mongoose';
import { JobStore } from '../../jobs/job-store.ts';

test('a claim is acknowledged by a majority: an election must not forget under which lease files were stored', async () => {
  const { connection: own, drop } = await testDatabase();
  const database = await createConnection(testInfra().mongodbUrl, {
    ...{ dbName: own.name, monitorCommands: true, writeConcern: { w: 'majority', journal: true } },
  }).asPromise();
  const concerns: unknown[] = [];
  const relay = createRelay({ broker: { publish: async () => undefined }, logger: testLogger() });
  const jobs = new JobStore({ database, relay, now: () => new Date() });
  const connectionId = newId();
  const at = new Date();
  await jobs.enqueueFetches({ connectionId, externalIds: ['a', 'b'], at });
  database.getClient().on('commandStarted', ({ commandName, command }) => {
    if (commandName === 'update') concerns.push(command['writeConcern']);
  });
  const until = new Date(at.getTime() + 60_000);
  const claimed = await jobs.claim(connectionId, 2, { id: 'lease', from: new Date(), until });
  expect(claimed).toHaveLength(2);
  expect(concerns).toEqual([{ w: 'majority', j: true }]);
  await database.close();
  await drop();
});
