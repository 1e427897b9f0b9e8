import type { Connection, Model, mongo, Schema } from 'mongoose';

/** The model of this name. The first store that asks registers it, so that its indexes are created at the start. */
export function modelOf<Document>(connection: Connection, name: string, schema: Schema<Document>): Model<Document> {
  const registered = connection.models[name] as Model<Document> | undefined;
  return registered ?? connection.model<Document>(name, schema);
}

/**
 * The driver's own collection of a model, typed by its documents. Stores whose rules return whole, typed documents write
 * and read by it: mongoose neither casts nor hydrates there, which is what hot paths would pay for.
 */
export function collectionOf<Document extends { _id: string }>(model: Model<Document>): mongo.Collection<Document> {
  return model.collection as unknown as mongo.Collection<Document>;
}
