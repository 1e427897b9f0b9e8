import type { NewEvent } from '@app/contracts';
import { AppError } from '@app/kernel';
import { addOutbox, createOutboxWriter, type Relay } from '@app/messaging';
import { documentSchema } from '@app/runtime';
import type { Connection } from 'mongoose';
import { type ClockSettings, hoursFor, policyFor } from '../clocks/policies.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { ClockRulesOf } from '../tickets/lifecycle/ticket-clocks.ts';

/** How far the settings are applied to open tickets: the id of the last one. They are gone through once more after a pause. */
export type Walk = { clientId: string; walks: number; after: string | null; passes: number };

/** `version` counts the changes by people; 0: there was none. `since`: when these settings, or what they go by, last changed. */
type Versioned = ClockSettings & { version: number; since: Date };

export type ClockSettingsStore = {
  find(clientId: string): Promise<Versioned>;
  byIds(clientIds: readonly string[]): Promise<Map<string, Versioned>>;
  /**
   * Saves them with their events in place of those that were read before. Open tickets follow from then on.
   * @throws AppError conflict `changed_meanwhile` if others changed them since
   */
  save(clientId: string, settings: Omit<Versioned, 'since'>, events: NewEvent[]): Promise<void>;
  /** To be called before places or domains of a client move: which policy holds may change. */
  applyAgain(clientId: string): Promise<void>;
  /** A client whose open tickets are to be gone through; null: none. */
  nextWalk(): Promise<Walk | null>;
  /** `after` is the last ticket of this page; null: it was the last page. */
  walked(walk: Walk, after: string | null): Promise<void>;
};

/** `walks` counts the times at which a walk was to begin. */
type Stored = Versioned & {
  _id: string;
  walks: number;
  walk_at: Date | null;
  walk_after: string | null;
  walk_passes: number;
};

/** Declares the collection and its index; routes check what is stored. */
const schema = documentSchema<Stored>('clock_settings');
addOutbox(schema);
schema.index({ walk_at: 1 }, { name: 'walk', partialFilterExpression: { walk_at: { $gt: new Date(0) } } });

const nothing = { policies: [], hours: [], version: 0, since: new Date(0) };
/** Longer than a request takes that read the former settings and has not saved its ticket yet. */
const secondPassMs = 60_000;

type Deps = { connection: Connection; relay: Relay; now: () => Date };

export function createClockSettings({ connection, relay, now }: Deps): ClockSettingsStore {
  const model = connection.model('ClockSettings', schema);
  const writes = createOutboxWriter<Stored>({ model, relay, service: 'ticket' });
  relay.watch(model);
  const fromStart = () => ({ since: now(), walk_at: now(), walk_after: null, walk_passes: 2 });

  async function byIds(clientIds: readonly string[]): Promise<Map<string, Versioned>> {
    const fields = { policies: 1, hours: 1, version: 1, since: 1 };
    const found = await model.find({ _id: { $in: clientIds } }, fields).lean<(Versioned & { _id: string })[]>();
    return new Map(found.map(({ _id, ...settings }) => [_id, settings]));
  }

  return {
    byIds,
    find: async (clientId) => (await byIds([clientId])).get(clientId) ?? nothing,
    async save(_id, { policies, hours, version }, events) {
      if (version === 0) await model.updateOne({ _id }, { $setOnInsert: nothing }, { upsert: true });
      const update = { $set: { policies, hours, ...fromStart() }, $inc: { version: 1, walks: 1 } };
      if (await writes.update({ filter: { _id, version }, update, events })) return;
      const message = 'these have changed since they were read: read them again, and decide on what they hold now';
      throw new AppError('conflict', 'changed_meanwhile', message);
    },
    async applyAgain(clientId) {
      await model.updateOne({ _id: clientId }, { $set: fromStart(), $inc: { walks: 1 } });
    },
    async nextWalk() {
      const due = { walk_at: { $gt: new Date(0), $lte: now() } };
      const found = await model
        .findOne(due, { walks: 1, walk_after: 1, walk_passes: 1 })
        .sort({ walk_at: 1 })
        .hint('walk')
        .lean<Stored>();
      if (!found) return null;
      return { clientId: found._id, walks: found.walks, after: found.walk_after, passes: found.walk_passes };
    },
    async walked({ clientId, walks, passes, after: from }, after) {
      const again = passes > 1 ? new Date(now().getTime() + secondPassMs) : null;
      const passed = { walk_at: again, walk_after: null, walk_passes: passes - 1 };
      // Whose turn was longest ago is next.
      const further = { walk_after: after, walk_at: now() };
      // Another replica may be further with the same walk.
      const filter = { _id: clientId, walks, walk_after: from, walk_passes: passes };
      await model.updateOne(filter, { $set: after === null ? passed : further });
    },
  };
}

type RulesDeps = { clockSettings: Pick<ClockSettingsStore, 'find'>; referentials: Pick<ReferentialStore, 'withAbove'> };

/** Looks up what holds for a ticket by the present settings of its client. */
export function clockRulesBy({ clockSettings, referentials }: RulesDeps): ClockRulesOf {
  return async ({ client_id, priority, typology_id, location_ids, domain_ids }) => {
    const { policies, hours, since } = await clockSettings.find(client_id);
    if (policies.length === 0) return null;
    const [places, domains] = await Promise.all(
      [location_ids, domain_ids].map((ids) => referentials.withAbove(client_id, ids)),
    );
    const ticket = { priority, typology_id, places: places ?? [], domains: domains ?? [] };
    const [policy, ofPlace] = [policyFor(policies, ticket), hoursFor(hours, ticket)];
    if (!policy || !ofPlace) return null;
    const { response, arrival, finish, warn_percent } = policy;
    return { targets: { response, arrival, finish, warn_percent }, hours: ofPlace, since };
  };
}
