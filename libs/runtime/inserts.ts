import mongoose from 'mongoose';
import { createBatches } from './batches.ts';

const insertedAtOnce = 100;
const pauseMs = 5;

/**
 * Inserts that come at once are one command. Each rejects for itself alone, as `insertOne` does: a document that a unique
 * index refuses keeps none of the others out.
 */
export function createInserts<T extends object>(collection: mongoose.Collection): (document: T) => Promise<void> {
  async function alone(document: T | undefined): Promise<[undefined]> {
    await collection.insertOne(document as never);
    return [undefined];
  }

  async function together(documents: T[]): Promise<(Error | undefined)[]> {
    if (documents.length === 1) return alone(documents[0]);
    try {
      await collection.insertMany(documents as never, { ordered: false });
      return documents.map(() => undefined);
    } catch (error) {
      const refused = refusedIn(error);
      return documents.map((_document, index) => refused.get(index));
    }
  }

  const batches = createBatches({ most: insertedAtOnce, longestPauseMs: pauseMs, run: together });
  return async (document) => {
    const error = await batches.add(document);
    if (error) throw error;
  };
}

/** Of a batch, which documents were refused and why, by their places. @throws the error itself where that is not all it says */
function refusedIn(error: unknown): Map<number, Error> {
  const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refused = [error.writeErrors].flat();
  if (refused.length === 0) throw error;
  return new Map(
    refused.map(({ index, code, errmsg = '' }) => [index, new MongoServerError({ code, errmsg, message: errmsg })]),
  );
}
