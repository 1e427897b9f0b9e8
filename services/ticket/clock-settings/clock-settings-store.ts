import { type Connection, Schema } from 'mongoose';
import { type ClockSettings, hoursFor, policyFor } from '../clocks/policies.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import type { ClockRulesOf } from '../tickets/lifecycle/ticket-clocks.ts';

/** How far the settings are applied to open tickets: the id of the last one. They are gone through once more after a pause. */
export type Walk = { clientId: string; version: number; after: string | null; passes: number };

export type ClockSettingsStore = {
  find(clientId: string): Promise<ClockSettings>;
  byIds(clientIds: readonly string[]): Promise<Map<string, ClockSettings>>;
  /** Open tickets follow from then on. */
  save(clientId: string, settings: ClockSettings): Promise<void>;
  /** To be called before places or domains of a client move: which policy holds may change. */
  applyAgain(clientId: string): Promise<void>;
  /** A client whose open tickets are to be gone through; null: none. */
  nextWalk(): Promise<Walk | null>;
  /** `after` is the last ticket of this page; null: it was the last page. */
  walked(walk: Walk, after: string | null): Promise<void>;
};

/** `version` counts the times at which a walk was to begin. */
type Stored = ClockSettings & {
  _id: string;
  version: number;
  walk_at: Date | null;
  walk_after: string | null;
  walk_passes: number;
};

/** Declares the collection and its index; routes check what is stored. */
const schema = new Schema<Stored>(
  { _id: { type: String, required: true }, version: { type: Number, required: true } },
  { versionKey: false, collection: 'clock_settings', strict: false },
);
schema.index({ walk_at: 1 }, { name: 'walk', partialFilterExpression: { walk_at: { $gt: new Date(0) } } });

/** Longer than a request takes that read the former settings and has not saved its ticket yet. */
const secondPassMs = 60_000;

export function createClockSettings({
  connection,
  now,
}: {
  connection: Connection;
  now: () => Date;
}): ClockSettingsStore {
  const model = connection.model('ClockSettings', schema);
  const fromStart = () => ({ walk_at: now(), walk_after: null, walk_passes: 2 });

  async function byIds(clientIds: readonly string[]): Promise<Map<string, ClockSettings>> {
    const found = await model.find({ _id: { $in: clientIds } }, { policies: 1, hours: 1 }).lean<Stored[]>();
    return new Map(found.map(({ _id, policies, hours }) => [_id, { policies, hours }]));
  }

  return {
    byIds,
    find: async (clientId) => (await byIds([clientId])).get(clientId) ?? { policies: [], hours: [] },
    async save(clientId, { policies, hours }) {
      const update = { $set: { policies, hours, ...fromStart() }, $inc: { version: 1 } };
      await model.updateOne({ _id: clientId }, update, { upsert: true });
    },
    async applyAgain(clientId) {
      await model.updateOne({ _id: clientId }, { $set: fromStart(), $inc: { version: 1 } });
    },
    async nextWalk() {
      const due = { walk_at: { $gt: new Date(0), $lte: now() } };
      const found = await model
        .findOne(due, { policies: 0, hours: 0 })
        .sort({ walk_at: 1 })
        .hint('walk')
        .lean<Stored>();
      if (!found) return null;
      return { clientId: found._id, version: found.version, after: found.walk_after, passes: found.walk_passes };
    },
    async walked({ clientId, version, passes, after: from }, after) {
      const again = passes > 1 ? new Date(now().getTime() + secondPassMs) : null;
      const passed = { walk_at: again, walk_after: null, walk_passes: passes - 1 };
      // Whose turn was longest ago is next.
      const further = { walk_after: after, walk_at: now() };
      // Another replica may be further with the same walk.
      const filter = { _id: clientId, version, walk_after: from, walk_passes: passes };
      await model.updateOne(filter, { $set: after === null ? passed : further });
    },
  };
}

type RulesDeps = { clockSettings: Pick<ClockSettingsStore, 'find'>; referentials: Pick<ReferentialStore, 'withAbove'> };

/** Looks up what holds for a ticket by the present settings of its client. */
export function clockRulesBy({ clockSettings, referentials }: RulesDeps): ClockRulesOf {
  return async ({ client_id, priority, typology_id, location_ids, domain_ids }) => {
    const { policies, hours } = await clockSettings.find(client_id);
    if (policies.length === 0) return null;
    const [places, domains] = await Promise.all(
      [location_ids, domain_ids].map((ids) => referentials.withAbove(client_id, ids)),
    );
    const ticket = { priority, typology_id, places: places ?? [], domains: domains ?? [] };
    const [policy, ofPlace] = [policyFor(policies, ticket), hoursFor(hours, ticket)];
    if (!policy || !ofPlace) return null;
    const { response, arrival, finish } = policy;
    return { targets: { response, arrival, finish }, hours: ofPlace };
  };
}
