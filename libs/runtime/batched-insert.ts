import type mongoose from 'mongoose';
import { createBatcher } from './batcher.ts';
import { isUnserializable, writeErrorsByIndex } from './mongo.ts';

const insertedAtOnce = 100;
const pauseMs = 5;

/**
 * Inserts that come at once are one command. Each rejects for itself alone, as `insertOne` does: a document that a unique
 * index refuses keeps none of the others out.
 */
export function createBatchedInsert<T extends object>(collection: mongoose.Collection): (document: T) => Promise<void> {
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
      if (isUnserializable(error))
        return Promise.all(documents.map((document) => alone(document).then(firstOf, asError)));
      const refused = writeErrorsByIndex(error);
      return documents.map((_document, index) => refused.get(index));
    }
  }

  const firstOf = ([outcome]: [undefined]) => outcome;
  const asError = (error: Error) => error;

  const batches = createBatcher({ maxBatch: insertedAtOnce, maxDelayMs: pauseMs, run: together, once: true });
  return async (document) => {
    const error = await batches.add(document);
    if (error) throw error;
  };
}
