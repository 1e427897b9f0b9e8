import {
  type KnownThing,
  type NewEvent,
  type RestoreExistenceAsked,
  type RestoreLossFound,
  type RestoreTaskRequested,
  restoreExistenceAsked,
  restoreLossFound,
  restoreTaskRequested,
} from '@app/contracts';
import { type Broker, type ConsumerOptions, on, toCloudEvents, unknownMessage } from '@app/messaging';
import type { Logger } from '@app/runtime';
import type { RestoreParticipant } from './restore-participant.ts';
import type { RestoreRecords } from './restore-records.ts';

type Deps = {
  service: string;
  participant: RestoreParticipant;
  records: Pick<RestoreRecords, 'addLost' | 'removeLost'>;
  broker: Pick<Broker, 'publish'>;
  logger: Logger;
  now?: () => Date;
};

/** Consumes what follows from a restore, this service's or another's. Every step is idempotent. */
export function restoreSubscription(deps: Deps): ConsumerOptions {
  return {
    queue: 'restores',
    table: [
      on(restoreTaskRequested, ({ data }) => runTask(deps, data)),
      on(restoreExistenceAsked, ({ data }) => answer(deps, data)),
      on(restoreLossFound, ({ data }) => markLost(deps, data)),
    ],
    // One page at a time: a restore may bring very many.
    prefetch: 1,
  };
}

/** Things in one message. */
const maxAsked = 500;

const timeOf = ({ now = () => new Date() }: Deps) => now();

async function publish({ service, broker }: Deps, events: NewEvent[]): Promise<void> {
  if (events.length > 0) await broker.publish(toCloudEvents(service, events));
}

async function runTask(deps: Deps, request: RestoreTaskRequested): Promise<void> {
  if (request.to !== deps.service) return;
  const { to: _, task, after, ...restore } = request;
  const run = taskOf(deps, task);
  if (!run) throw unknownMessage(`there is no task "${task}" after a restore`);
  const page = await run(restore, after);
  const next = page.next === null ? [] : [restoreTaskRequested({ ...request, after: page.next }, timeOf(deps))];
  await publish(deps, [...page.events, ...next]);
  if (page.next === null) deps.logger.info('restore task finished', { restored: restore.service, task });
}

type Task = NonNullable<RestoreParticipant['tasks']>[string];

function taskOf(deps: Deps, name: string): Task | undefined {
  const { service: asked_by, participant } = deps;
  const [, kind = ''] = /^check (.+)$/.exec(name) ?? [];
  const known = participant.known?.[kind];
  if (!known) return participant.tasks?.[name];
  return async (restore, after) => {
    const { things, next } = await known(after);
    const questions = Array.from({ length: Math.ceil(things.length / maxAsked) }, (_, index) => {
      const asked = things.slice(index * maxAsked, (index + 1) * maxAsked);
      return restoreExistenceAsked({ ...restore, asked_by, kind, things: asked }, timeOf(deps));
    });
    return { events: questions, next };
  };
}

/** A plain read is enough: events are published only after a majority has the write. */
async function answer(deps: Deps, { asked_by: askedBy, ...question }: RestoreExistenceAsked): Promise<void> {
  const { service, participant, records, logger } = deps;
  const { kind, things, restore_id } = question;
  if (question.service !== service) return;
  const find = participant.existing?.[kind];
  if (!find) throw unknownMessage(`${service} owns no ${kind}`);
  const { ids, events = [] } = await find(things);
  const existing = new Set(ids);
  const lost = things.filter(({ id }) => !existing.has(id));
  await records.removeLost(kind, ids);
  await records.addLost({ restore_id, kind, askedBy, things: lost });
  if (lost.length > 0) logger.warn('records were lost by a restore', { kind, knownTo: askedBy, ids: idsOf(lost) });
  const found = lost.length > 0 ? [restoreLossFound({ ...question, things: lost }, timeOf(deps))] : [];
  await publish(deps, [...events, ...found]);
}

async function markLost({ participant, logger }: Deps, { kind, things, ...restore }: RestoreLossFound): Promise<void> {
  const mark = participant.lost?.[kind];
  if (!mark) return;
  for (const thing of things) await mark(thing, restore);
  logger.info('records lost by a restore marked', { restored: restore.service, kind, ids: idsOf(things) });
}

/**
 * Whether an event cannot be handled because what it names was lost by a restore of this service. If so, reports the loss to the
 * owner of the event, as if it had asked; the event has no effect.
 */
export async function reportIfLost(
  deps: Pick<Deps, 'service' | 'participant' | 'broker' | 'logger' | 'now'> & { records: RestoreRecords },
  { kind, thing, knownTo }: { kind: string; thing: KnownThing; knownTo: string },
): Promise<boolean> {
  const restore = await deps.records.newest();
  if (!restore || !(await deps.records.mayHaveLost(thing.id))) return false;
  const { ids } = (await deps.participant.existing?.[kind]?.([thing])) ?? { ids: [] };
  if (ids.includes(thing.id)) return false;
  await answer(deps, { ...restore, service: deps.service, asked_by: knownTo, kind, things: [thing] });
  return true;
}

function idsOf(things: KnownThing[]): string[] {
  return things.map(({ id }) => id);
}
