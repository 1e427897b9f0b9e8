import { isDuplicateKey } from '@app/runtime';
import { type Connection, Schema } from 'mongoose';
import { type Assignment, placesPerBuyer, unheard } from './dossier.ts';

/**
 * One document per ticket, which a create and the event of an assignment both write: of two that race, the later sees the
 * earlier (design section 8). `live` holds, for each buyer, the ids of its live documents, those on their way included.
 */
type Dossier = { _id: string; supplier?: Assignment; live?: Record<string, string[]> };

export type Place = { ticketId: string; buyerId: string };

export type DossierStore = {
  /** Takes a place for a document to come; what was heard of the ticket's assignment by then. Null: all are taken. */
  take(place: Place, id: string): Promise<Assignment | null>;
  /** Gives places back. */
  release(place: Place, ids: string[]): Promise<void>;
  /** The documents that hold a place. */
  taken(place: Place): Promise<string[]>;
  /** Keeps an assignment unless a newer one is known; the documents that held a place of this buyer by then. */
  assigned(place: Place, assignment: Assignment): Promise<string[]>;
};

const dossierSchema = new Schema<Dossier>(
  { _id: { type: String, required: true } },
  { versionKey: false, collection: 'dossiers', strict: false },
);

export function createDossierStore({ connection }: { connection: Connection }): DossierStore {
  const model = connection.model<Dossier>('Dossier', dossierSchema);
  const dossiers = model.collection;

  async function push({ ticketId, buyerId }: Place, id: string, upsert: boolean): Promise<Assignment | null> {
    const field = `live.${buyerId}`;
    const room = { _id: ticketId, [`${field}.${placesPerBuyer - 1}`]: { $exists: false } };
    const options = { upsert, returnDocument: 'after', projection: { supplier: 1 } } as const;
    const found = (await dossiers.findOneAndUpdate(
      room as never,
      { $push: { [field]: id } } as never,
      options,
    )) as unknown;
    return found === null ? null : ((found as Dossier).supplier ?? unheard);
  }

  return {
    async take(place, id) {
      try {
        return await push(place, id, true);
      } catch (error) {
        // The dossier is there: somebody made it just now, or it has no room.
        if (isDuplicateKey(error)) return push(place, id, false);
        throw error;
      }
    },
    async release({ ticketId, buyerId }, ids) {
      await dossiers.updateOne({ _id: ticketId } as never, { $pull: { [`live.${buyerId}`]: { $in: ids } } } as never);
    },
    async taken({ ticketId, buyerId }) {
      const projection = { [`live.${buyerId}`]: 1 };
      const found = (await dossiers.findOne({ _id: ticketId } as never, { projection })) as unknown as Dossier | null;
      return found?.live?.[buyerId] ?? [];
    },
    async assigned({ ticketId, buyerId }, assignment) {
      const isNewer = { $gt: [assignment.version, { $ifNull: ['$supplier.version', unheard.version] }] };
      const found = (await dossiers.findOneAndUpdate(
        { _id: ticketId } as never,
        [{ $set: { supplier: { $cond: [isNewer, { $literal: assignment }, '$supplier'] } } }] as never,
        { upsert: true, returnDocument: 'after', projection: { [`live.${buyerId}`]: 1 } },
      )) as unknown as Dossier;
      return found.live?.[buyerId] ?? [];
    },
  };
}
