import type mongoose from 'mongoose';
import { createBatcher } from './batcher.ts';
import { isUnserializable, writeErrorsByIndex } from './mongo.ts';

const maxBatch = 100;
const maxDelayMs = 5;

/**
 * An `insertOne` that sends concurrent inserts as one command. Each rejects by itself: a document that a unique index refuses does
 * not keep the others out.
 */
export function createBatchedInsert<T extends object>(collection: mongoose.Collection): (document: T) => Promise<void> {
  const insertOne = (document: T) => collection.insertOne(document);

  /** The error of each document, undefined for one that was inserted. */
  async function insertAll(documents: T[]): Promise<(Error | undefined)[]> {
    const noErrors = documents.map(() => undefined);
    try {
      if (documents.length === 1) await insertOne(documents[0] as T);
      else await collection.insertMany(documents, { ordered: false });
      return noErrors;
    } catch (error) {
      if (documents.length === 1) throw error;
      if (isUnserializable(error)) {
        // Nothing was sent. One by one, only the document at fault fails.
        const outcomes = await Promise.allSettled(documents.map(insertOne));
        return outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error) : undefined));
      }
      const errors = writeErrorsByIndex(error);
      return documents.map((_document, index) => errors.get(index));
    }
  }

  const batcher = createBatcher({ name: 'insert documents', maxBatch, maxDelayMs, run: insertAll, once: true });
  return async (document) => {
    const error = await batcher.add(document);
    if (error) throw error;
  };
}
