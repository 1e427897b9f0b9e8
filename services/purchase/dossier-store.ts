import { createBatches, isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type Assignment, type Assignments, placesPerBuyer, unheard } from './dossier.ts';

/**
 * One document per ticket, which a create and the event of an assignment both write: of two that race, the later sees the
 * earlier (design section 8). `live` holds, for each buyer, the ids of its live documents, those on their way included;
 * `supplier` the newest assignment heard, `contractors` those that named one, by which a document that waits gets the first.
 */
type Dossier = { _id: string; supplier?: Assignment; contractors?: Assignments; live?: Record<string, string[]> };

export type Place = { ticketId: string; buyerId: string };

export type DossierStore = {
  /** Takes a place for a document to come; what was heard of the ticket's assignment by then. Null: all are taken. */
  take(place: Place, id: string): Promise<Assignment | null>;
  /** Gives places back. */
  release(place: Place, ids: string[]): Promise<void>;
  /** The documents that hold a place. */
  taken(place: Place): Promise<string[]>;
  /** Keeps an assignment; what is known of the ticket's by then, and the documents that held a place of this buyer. */
  assigned(place: Place, assignment: Assignment): Promise<{ assignments: Assignments; ids: string[] }>;
};

type Taking = { place: Place; id: string };

/** Of a ticket, the newest: a document waits for the first one after it, and few tickets see more than two. */
const assignmentsKept = 100;
const takenAtOnce = 100;
const pauseMs = 5;

const dossierSchema = new Schema<Dossier>(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'dossiers', strict: false },
);

export function createDossierStore({ connection }: { connection: Connection }): DossierStore {
  const model = connection.model<Dossier>('Dossier', dossierSchema);
  const dossiers = model.collection;

  /** Into a dossier that is there; null where it has no room. */
  async function push(taking: Taking): Promise<Assignment | null> {
    const options = { returnDocument: 'after', projection: { supplier: 1 } } as const;
    const { filter, update } = taken(taking);
    const found = (await dossiers.findOneAndUpdate(filter as never, update as never, options)) as unknown;
    return found === null ? null : ((found as Dossier).supplier ?? unheard);
  }

  /**
   * What comes at once is two commands, whatever their number: the places are taken, then it is looked who got one and what
   * was heard by then. Whoever got none finds its dossier there: made by another at this moment, or full.
   */
  async function takeAll(all: Taking[]): Promise<(Assignment | null)[]> {
    await takePlaces(all);
    const after = await read(all.map(({ place }) => place));
    return Promise.all(
      all.map((taking) => {
        const { ticketId, buyerId } = taking.place;
        const dossier = after.get(ticketId);
        return dossier?.live?.[buyerId]?.includes(taking.id) ? (dossier.supplier ?? unheard) : push(taking);
      }),
    );
  }

  async function takePlaces(all: Taking[]): Promise<void> {
    try {
      const updates = all.map((taking) => ({ updateOne: { ...taken(taking), upsert: true } }));
      await dossiers.bulkWrite(updates as never, { ordered: false });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
  }

  async function read(places: Place[]): Promise<Map<string, Dossier>> {
    const fields = places.map(({ buyerId }) => [`live.${buyerId}`, 1]);
    const projection = { supplier: 1, ...Object.fromEntries(fields) };
    const ids = { _id: { $in: places.map(({ ticketId }) => ticketId) } };
    const found = (await dossiers.find(ids as never, { projection }).toArray()) as unknown as Dossier[];
    return new Map(found.map((dossier) => [dossier._id, dossier]));
  }

  const places = createBatches({ most: takenAtOnce, longestPauseMs: pauseMs, run: takeAll });
  return {
    take: (place, id) => places.add({ place, id }),
    async release({ ticketId, buyerId }, ids) {
      await dossiers.updateOne({ _id: ticketId } as never, { $pull: { [`live.${buyerId}`]: { $in: ids } } } as never);
    },
    async taken({ ticketId, buyerId }) {
      const projection = { [`live.${buyerId}`]: 1 };
      const found = (await dossiers.findOne({ _id: ticketId } as never, { projection })) as unknown as Dossier | null;
      return found?.live?.[buyerId] ?? [];
    },
    async assigned({ ticketId, buyerId }, assignment) {
      const found = (await dossiers.findOneAndUpdate(
        { _id: ticketId } as never,
        [{ $set: keeping(assignment) }] as never,
        {
          upsert: true,
          returnDocument: 'after',
          projection: { contractors: 1, [`live.${buyerId}`]: 1 },
        },
      )) as unknown as Dossier;
      return { assignments: found.contractors ?? [], ids: found.live?.[buyerId] ?? [] };
    },
  };
}

/** Takes a place where the buyer has one left. */
function taken({ place: { ticketId, buyerId }, id }: Taking) {
  const field = `live.${buyerId}`;
  const filter = { _id: ticketId, [`${field}.${placesPerBuyer - 1}`]: { $exists: false } };
  return { filter, update: { $push: { [field]: id } } };
}

/** The newest assignment stays the newest, whenever it was heard; one that names a contractor is put among its like, once. */
function keeping(assignment: Assignment): object {
  const { version, contractor_id } = assignment;
  const isNewer = { $gt: [version, { $ifNull: ['$supplier.version', unheard.version] }] };
  const supplier = { $cond: [isNewer, { $literal: assignment }, '$supplier'] };
  if (contractor_id === null) return { supplier };
  const all = { $setUnion: [{ $ifNull: ['$contractors', []] }, [{ $literal: assignment }]] };
  const sorted = { $sortArray: { input: all, sortBy: { version: 1 } } };
  return { supplier, contractors: { $slice: [sorted, -assignmentsKept] } };
}
