import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  companyChanged,
  companyCreated,
  contractorChanged,
  invoiceLineChanged,
  locationChanged,
  platformQueues,
  purchaseChanged,
  type Restore,
  restoreTaskRequested,
  snapshotsRequested,
  ticketChanged,
  userChanged,
  userCreated,
} from '@app/contracts';
import { connectBroker, queueStats, toCloudEvents } from '@app/messaging';
import { connectMongo, createLogger, type Logger } from '@app/runtime';
import type { Connection } from 'mongoose';
import { runMigrations } from './migrations/index.ts';
import { createRestoreRecords, newestCreation, type RestoreRecords, restorePlans } from './restore/index.ts';
import type { ServiceOptions } from './service.ts';
import type { ServiceSettings } from './settings.ts';

type Work = Pick<ServiceOptions<unknown>, 'name' | 'migrations' | 'restored'> & {
  settings: ServiceSettings;
  connection: Connection;
  logger: Logger;
  records: RestoreRecords;
  say(line: string): void;
};

/** Clocks of processes that wrote may have been ahead by less. */
const clockMarginMs = 10 * 60_000;
/** How long messages of the time before the restore are waited for. */
const drainForMs = 60_000;
const lookEveryMs = 500;
/** Events that other services project. One from after the backup may bring back what the restored database does not have. */
const projectedEventTypes = new Set<string>(
  [
    companyCreated,
    companyChanged,
    userCreated,
    userChanged,
    contractorChanged,
    locationChanged,
    ticketChanged,
    purchaseChanged,
    invoiceLineChanged,
  ].map(({ type }) => type),
);

/**
 * After the database of a service was restored to an older state, and before its replicas start: raises its versions, and asks
 * all services to publish again what it and they keep of each other. `--again` only repeats that request, at any time; `--list`
 * prints what was lost. Ends with exit code 1 if it fails; it may then be run again.
 */
export async function restoredService<Settings extends ServiceSettings>(
  options: ServiceOptions<Settings>,
  args: string[],
): Promise<void> {
  const hooks: (() => Promise<unknown>)[] = [];
  try {
    const { values } = parseArgs({ args, options: { again: { type: 'boolean' }, list: { type: 'boolean' } } });
    const settings = options.loadSettings();
    const { NAMESPACE: namespace, MONGODB_URL: url, LOG_LEVEL: level, NODE_ENV } = settings;
    const logger = createLogger({ service: options.name, level, production: NODE_ENV === 'production' });
    const connection = await connectMongo({ url, database: `${namespace}${options.name}`, logger });
    hooks.push(() => connection.close());
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    const work: Work = { ...options, settings, connection, logger, records: createRestoreRecords(connection), say };
    if (values.list) await list(work);
    else await announce(work, values.again ? await newestRestore(work) : await raise(work));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  } finally {
    for (const hook of hooks.reverse()) await hook().catch(() => undefined);
  }
  process.exit();
}

async function list({ records, say }: Work): Promise<void> {
  let count = 0;
  for await (const { kind, _id, known_to } of records.lost()) {
    say(`lost: ${kind} ${_id.slice(kind.length + 1)}, known to ${known_to.join('; ')}`);
    count++;
  }
  say(count === 0 ? 'nothing that others know was lost' : `${count} things that others know were lost`);
}

async function newestRestore({ name, records }: Work): Promise<Restore> {
  const newest = await records.newest();
  if (!newest) throw new Error('this database was not restored: run it without --again');
  return { ...newest, service: name };
}

async function raise(work: Work): Promise<Restore> {
  const { name, migrations, restored, connection, logger, records, say } = work;
  await refuseRunning(work);
  // The restored data may be that of an earlier release.
  const ran = await runMigrations({ connection, migrations, logger });
  for (const id of ran) say(`done: migration ${id}`);
  const since = new Date((await newestCreation(connection)).getTime() - clockMarginMs).toISOString();
  const epoch = Math.max(Date.now(), await databaseTime(connection));
  const restore = { restore_id: randomUUID(), service: name, epoch, since };
  for (const line of await restored.raise(connection, restore)) say(line);
  await records.add(restore);
  return restore;
}

/** A replica that runs has numbers and versions of the lost time in its memory. */
async function refuseRunning({ name, settings }: Work): Promise<void> {
  const consumed = (await statsOf(settings)).filter(({ service, consumers }) => service === name && consumers > 0);
  if (consumed.length > 0)
    throw new Error(`${name} is running: stop all its replicas, restore its database, then run this again`);
}

function statsOf({ AMQP_URL: url, NAMESPACE: namespace }: ServiceSettings) {
  return queueStats({ url, namespace, table: platformQueues });
}

async function databaseTime(connection: Connection): Promise<number> {
  const { localTime } = await connection.getClient().db(connection.name).command({ hello: 1 });
  return (localTime as Date).getTime();
}

/** Asks all services to publish again. The queues keep the request for a service that is down. */
async function announce(work: Work, restore: Restore): Promise<void> {
  const { name, settings, logger, say } = work;
  const { AMQP_URL: url, NAMESPACE: namespace } = settings;
  const plan = restorePlans[name];
  if (!plan) throw new Error(`there is no plan of what follows a restore of ${name}`);
  await waitForOldMessages(work);
  const broker = await connectBroker({ url, namespace, service: name, logger, platform: platformQueues });
  try {
    const at = new Date();
    const { restore_id: request_id } = restore;
    await broker.publish(
      toCloudEvents(name, [
        ...plan.snapshots.map((kind) => snapshotsRequested({ request_id, kind, after: null }, at)),
        ...plan.tasks.map((task) => restoreTaskRequested({ ...restore, ...task, after: null }, at)),
      ]),
    );
  } finally {
    await broker.close();
  }
  for (const kind of plan.snapshots) say(`requested: all ${kind}`);
  for (const { to, task } of plan.tasks) say(`requested: ${to}: ${task}`);
  say(`${name} can be started. What others know and it has lost: --list, once their queues are empty`);
}

/**
 * A message from before the restore that is handled after the checks would bring back something
 * that does not exist. So the checks are requested once those messages are handled.
 */
async function waitForOldMessages({ name, settings, say }: Work): Promise<void> {
  for (const until = performance.now() + drainForMs; ; await delay(lookEveryMs)) {
    const waiting = (await statsOf(settings)).filter(
      ({ service, types, messages }) =>
        service !== name && messages > 0 && types.some((type) => projectedEventTypes.has(type)),
    );
    if (waiting.length === 0) return;
    if (waiting.some(({ consumers }) => consumers > 0) && performance.now() < until) continue;
    for (const { queue, messages } of waiting) say(`messages of before the restore wait: ${messages} in ${queue}`);
    say('run this with --again once they are handled: some may tell of what was lost');
    return;
  }
}
