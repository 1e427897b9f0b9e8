import { shiftClock, testInfra, testNamespace } from '@app/testing';
import { metrics } from '../../metrics.ts';
import { openDatabaseClock } from '../../mongo/database-clock.ts';
import { connectMongo } from '../../mongo/mongo.ts';

const hourMs = 3_600_000;

test('it tells the time of the database, goes on, and does not jump with the clock of the process', async () => {
  const connection = await connectMongo({ url: testInfra().mongodbUrl, database: `${testNamespace()}clock` });
  let offset = -hourMs;
  const putRight = shiftClock(() => offset);
  try {
    const now = await openDatabaseClock(connection);
    const before = await serverTime(connection);
    const told = now();
    const after = await serverTime(connection);
    // The server's clock has milliseconds, and its answer was on its way; that from which the clock learned, on a busy machine for longer.
    expect(told.getTime()).toBeGreaterThanOrEqual(before - 60_000);
    expect(told.getTime()).toBeLessThanOrEqual(after + 1_000);
    offset = hourMs;
    const later = now();
    expect(later.getTime()).toBeGreaterThanOrEqual(told.getTime());
    expect(later.getTime()).toBeLessThanOrEqual((await serverTime(connection)) + 1_000);
    const [, seconds] = /^clock_skew_seconds (\S+)$/m.exec(await metrics.metrics()) ?? [];
    expect(Math.round(Number(seconds) / 60)).toBe(60);
  } finally {
    putRight();
    await connection.close();
  }
});

async function serverTime(connection: Awaited<ReturnType<typeof connectMongo>>): Promise<number> {
  const { localTime } = await connection.getClient().db().command({ hello: 1 });
  return (localTime as Date).getTime();
}
