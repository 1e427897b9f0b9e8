import type { KnownThing, Restore } from '@app/contracts';
import type { Connection, mongo } from 'mongoose';

type RestoreRecord = { _id: number; restore_id: string; since: Date; at: Date };

/** Something that others know and this database does not have any more, since it was restored. */
type LostThing = {
  /** `<kind>/<id>` */
  _id: string;
  restore_id: string;
  kind: string;
  /** Who knows it, and under what name: `purchase: purchase_order PO-7`. */
  known_to: string[];
  at: Date;
};

/** What a database remembers of its restores. A later restore to an older state may forget it. */
export type RestoreRecords = ReturnType<typeof createRestoreRecords>;

/** The records in the database of this connection, which need not be open yet. */
export function createRestoreRecords(connection: Connection) {
  // By the driver: with its writes acknowledged by a majority, and without a model that others could declare too. At the first
  // call, since an app may be made before its connection is open.
  const database = (): mongo.Db => connection.getClient().db(connection.name);
  const restores = () => database().collection<RestoreRecord>('restores');
  const lostThings = () => database().collection<LostThing>('lost_things');

  async function newest() {
    const found = await restores().findOne({}, { sort: { _id: -1 } });
    return found && { restore_id: found.restore_id, epoch: found._id, since: found.since.toISOString() };
  }

  return {
    newest,
    async add({ restore_id, epoch, since }: Restore): Promise<void> {
      const fields = { restore_id, since: new Date(since) };
      await restores().updateOne({ _id: epoch }, [{ $set: { ...fields, at: '$$NOW' } }], { upsert: true });
    },
    /** True if the thing with this id, which is not there, may have been made before a restore, and was lost by it. */
    async mayHaveLost(id: string): Promise<boolean> {
      const restore = await newest();
      // An id begins with the second of its creation. An epoch is a time in milliseconds.
      return restore !== null && Number.parseInt(id.slice(0, 8), 16) <= restore.epoch / 1000;
    },
    async addLost({
      restore_id,
      kind,
      askedBy,
      things,
    }: {
      restore_id: string;
      kind: string;
      askedBy: string;
      things: KnownThing[];
    }): Promise<void> {
      const writes = things.map(({ id, label }) => ({
        updateOne: {
          filter: { _id: `${kind}/${id}` },
          update: {
            $set: { restore_id, kind, at: new Date() },
            $addToSet: { known_to: label === '' ? askedBy : `${askedBy}: ${label}` },
          },
          upsert: true,
        },
      }));
      if (writes.length > 0) await lostThings().bulkWrite(writes, { ordered: false });
    },
    /** They are there after all: another restore brought them back. */
    async removeLost(kind: string, ids: string[]): Promise<void> {
      if (ids.length > 0) await lostThings().deleteMany({ _id: { $in: ids.map((id) => `${kind}/${id}`) } });
    },
    /** Ascending by kind, then by id. */
    lost: (): AsyncIterable<LostThing> => lostThings().find().sort({ _id: 1 }),
  };
}
