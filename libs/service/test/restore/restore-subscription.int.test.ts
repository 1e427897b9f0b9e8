import {
  type DomainEvent,
  type KnownThing,
  type Restore,
  restoreExistenceAsked,
  restoreLossFound,
  restoreTaskRequested,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { testDatabase, testLogger } from '@app/testing';
import type { Connection } from 'mongoose';
import type { RestoreParticipant } from '../../restore/restore-participant.ts';
import { createRestoreRecords } from '../../restore/restore-records.ts';
import { reportIfLost, restoreSubscription } from '../../restore/restore-subscription.ts';

let connection: Connection;
let drop: () => Promise<void>;
beforeEach(async () => {
  ({ connection, drop } = await testDatabase());
});
afterEach(() => drop());

const restore: Restore = { restore_id: 'r', service: 'owner', epoch: Date.now(), since: new Date().toISOString() };
const thing = (label = '', within: string | null = null): KnownThing => ({ id: newId(), label, within });

/** A service with this participant: handles events, and records what it publishes. */
function serviceWith(service: string, participant: RestoreParticipant) {
  const published: DomainEvent[] = [];
  const broker = { publish: async (events: DomainEvent[]) => void published.push(...events) };
  const records = createRestoreRecords(connection);
  const deps = { service, participant, records, broker, logger: testLogger() };
  const { table } = restoreSubscription(deps);
  return {
    records,
    published,
    deps,
    async handle(event: ReturnType<typeof restoreTaskRequested>) {
      const [sealed] = toCloudEvents('test', [event]) as DomainEvent<never>[];
      const row = table.find(({ eventType }) => eventType.type === event.type);
      await row?.handle(sealed as never);
      return published.splice(0).map(({ type, data }) => ({ type, data }));
    },
  };
}

const asked = (things: KnownThing[], more: object = {}) =>
  restoreExistenceAsked({ ...restore, asked_by: 'holder', kind: 'things', things, ...more }, new Date());
const task = (name: string, after: string | null = null, to = 'holder') =>
  restoreTaskRequested({ ...restore, to, task: name, after }, new Date()) as never;

test('whoever keeps things asks for all of them: page after page, 500 in a message', async () => {
  const pages = [Array.from({ length: 700 }, () => thing()), [thing('T-1')]];
  const service = serviceWith('holder', {
    known: { things: async (after) => ({ things: pages[Number(after)] ?? [], next: after === null ? '1' : null }) },
  });
  const first = await service.handle(task('check things'));
  expect(first.map(({ type, data }) => [type, (data as { things?: object[] }).things?.length])).toEqual([
    [restoreExistenceAsked.type, 500],
    [restoreExistenceAsked.type, 200],
    [restoreTaskRequested.type, undefined],
  ]);
  expect(first.at(-1)?.data).toMatchObject({ to: 'holder', task: 'check things', after: '1' });
  const second = await service.handle(task('check things', '1'));
  expect(second).toEqual([
    {
      type: restoreExistenceAsked.type,
      data: { ...restore, asked_by: 'holder', kind: 'things', things: pages[1] },
    },
  ]);
});

test('a request to another service has no effect; what only a newer version knows waits for one of its replicas', async () => {
  const service = serviceWith('holder', {});
  expect(await service.handle(task('check things', null, 'other'))).toEqual([]);
  const unknown = { kind: 'invalid', code: 'message_unknown' };
  await expect(service.handle(task('check things'))).rejects.toMatchObject(unknown);
  await expect(serviceWith('owner', {}).handle(asked([thing()]) as never)).rejects.toMatchObject(unknown);
});

test('the owner says what it has lost, and lists who knows it; what comes back leaves the list', async () => {
  const [here, gone] = [thing(), thing('T-000042')];
  let existing = [here.id];
  const service = serviceWith('owner', { existing: { things: async () => ({ ids: existing }) } });
  for (let twice = 0; twice < 2; twice++) {
    expect(await service.handle(asked([here, gone]) as never)).toEqual([
      { type: restoreLossFound.type, data: { ...restore, kind: 'things', things: [gone] } },
    ]);
  }
  await service.handle(asked([{ ...gone, label: 'order PO-7' }], { asked_by: 'purchase' }) as never);
  const list = async () => {
    const listed: unknown[] = [];
    for await (const { _id, known_to } of service.records.lost()) listed.push([_id, known_to]);
    return listed;
  };
  expect(await list()).toEqual([[`things/${gone.id}`, ['holder: T-000042', 'purchase: order PO-7']]]);
  existing = [here.id, gone.id];
  expect(await service.handle(asked([here, gone]) as never)).toEqual([]);
  expect(await list()).toEqual([]);
});

test('a question to another owner is not answered', async () => {
  const service = serviceWith('other', { existing: { things: async () => ({ ids: [] }) } });
  expect(await service.handle(asked([thing()]) as never)).toEqual([]);
});

test('whoever keeps lost things marks them; others do nothing', async () => {
  const marked: unknown[] = [];
  const lost = [thing()];
  const found = restoreLossFound({ ...restore, kind: 'things', things: lost }, new Date()) as never;
  await serviceWith('holder', { lost: { things: async (...given) => void marked.push(given) } }).handle(found);
  await serviceWith('other', { lost: { others: async (...given) => void marked.push(given) } }).handle(found);
  expect(marked).toEqual([[lost[0], expect.objectContaining({ epoch: restore.epoch, service: 'owner' })]]);
});

test('an event about what a restore has lost is answered; about what was never there, or is there, it is not', async () => {
  const existing: string[] = [];
  const service = serviceWith('owner', { existing: { things: async () => ({ ids: existing }) } });
  const report = (one: KnownThing) => reportIfLost(service.deps, { kind: 'things', thing: one, knownTo: 'holder' });
  const gone = { ...thing('T-1'), id: newId(new Date(restore.epoch - 1_000)) };
  // Before any restore.
  expect(await report(gone)).toBe(false);
  await service.records.add(restore);
  expect(await report(gone)).toBe(true);
  expect(service.published.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: restoreLossFound.type, data: { ...restore, kind: 'things', things: [gone] } },
  ]);
  // Made after the restore.
  expect(await report({ ...gone, id: newId(new Date(restore.epoch + 5_000)) })).toBe(false);
  existing.push(gone.id);
  expect(await report(gone)).toBe(false);
});
