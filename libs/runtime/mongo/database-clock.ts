// Why it is so: docs/decisions/time-is-the-databases.md
import type { Connection } from 'mongoose';
import { gaugeOnScrape } from '../metrics.ts';

/**
 * A stalled event loop reads the server's time late, which makes it seem earlier: the largest
 * offset of this many milliseconds counts.
 */
const windowMs = 60_000;

/**
 * The time by the clock of the database, which all replicas of a service share: what one of them stores as due or leased means the
 * same to the others, however wrong its own clock is, and whether that jumps. Read from the driver's heartbeats, without commands.
 * Within a heartbeat (10 s) it follows the monotonic clock of the process.
 * @param connection an open one
 * @throws the driver's errors if the database cannot be asked once at the start
 */
export async function openDatabaseClock(connection: Connection): Promise<() => Date> {
  const client = connection.getClient();
  let samples: { at: number; offset: number }[] = [];
  let offset = 0;
  const learn = (localTime: Date) => {
    const at = performance.now();
    samples = [...samples.filter((sample) => at - sample.at < windowMs), { at, offset: localTime.getTime() - at }];
    offset = Math.max(...samples.map((sample) => sample.offset));
  };
  client.on('serverHeartbeatSucceeded', ({ reply }) => {
    // Of the primary alone: a secondary whose clock is wrong then does no harm.
    if (reply['isWritablePrimary'] === true && reply['localTime'] instanceof Date) learn(reply['localTime']);
  });
  const { localTime } = await client.db().command({ hello: 1 });
  learn(localTime);
  const now = () => new Date(Math.round(performance.now() + offset));
  gaugeOnScrape({
    name: 'clock_skew_seconds',
    help: 'By how much the clock of the process is ahead of that of its database; below 0: behind',
    read: async () => [{ value: (Date.now() - now().getTime()) / 1_000 }],
  });
  return now;
}
