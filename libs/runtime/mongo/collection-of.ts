import type { Model, mongo } from 'mongoose';

/**
 * The driver's own collection of a model, typed by its documents. Stores whose rules return whole, typed documents write
 * and read by it: mongoose neither casts nor hydrates there, which is what hot paths would pay for.
 */
export function collectionOf<Document extends { _id: string }>(model: Model<Document>): mongo.Collection<Document> {
  return model.collection as unknown as mongo.Collection<Document>;
}
