// Why it is so: docs/decisions/idempotency-key.md
import { randomUUID } from 'node:crypto';
import { AppError } from '@app/kernel';
import mongoose, { type Connection, type mongo } from 'mongoose';
import { collectionOf, documentSchema, isDuplicateKey, isTransientMongoError, type Logger, modelOf } from '../index.ts';
import { hashOf, secretBoxOf } from './hash.ts';
import { createProtectedWrite, type ProtectedWrite } from './write-once.ts';

/** A request with an Idempotency-Key. */
export type KeyedRequest = {
  /** As it was sent: 1 to 255 printable ASCII characters. */
  key: string;
  /** The caller: keys are unique for each. */
  owner: readonly string[];
  /** Method and path, with the query. */
  operation: string;
  /**
   * The hash of the body; or how to read it, if the handler reads the body itself. That is called
   * only to compare it with the body of a request that was answered.
   */
  body: string | (() => Promise<string>);
  /**
   * It finds what it made by itself: a repeat is carried out again, and answered by what is there now. So nothing needs to be
   * protected.
   */
  repeatable?: boolean;
};

/** An answer as it is stored; `body` is JSON, null for none. */
export type StoredAnswer = { status: number; body: string | null };
type Answer = StoredAnswer & { replayed: boolean };
type Handle = (write: ProtectedWrite | null) => Promise<StoredAnswer>;

export type IdempotencyKeys = ReturnType<typeof createIdempotencyKeys>;

type KeyRecord = {
  _id: string;
  operation: string;
  /** Absent while it is not known: the handler reads it. */
  body?: string;
  /** Of the process that handles the request, until it is answered. */
  lease?: { id: string; until: Date };
  /** What the protected write returned, sealed; stored in one transaction with it. */
  written?: string;
  /** `body` is sealed. */
  answer?: StoredAnswer;
  expires_at: Date;
};

type Options = {
  connection: Connection;
  logger: Logger;
  /** How long an answer is kept, 24 h. */
  keptForMs?: number;
  /** How long a key stays claimed after its process died, 10 s. A living one renews its claim. */
  leaseMs?: number;
};

const schema = documentSchema<KeyRecord>('idempotency_keys');
schema.index({ expires_at: 1 }, { name: 'expiry', expireAfterSeconds: 0 });

const { EJSON } = mongoose.mongo.BSON;

/** The keys of one service, in its own database: what it writes and the record of the key are saved in one transaction. */
export function createIdempotencyKeys(options: Options) {
  const { connection, logger, keptForMs = 24 * 3_600_000, leaseMs = 10_000 } = options;
  // By the driver: a claim is a pipeline, and every protected request makes one.
  const records = collectionOf(modelOf(connection, 'IdempotencyKey', schema));
  const parts = { records, logger, keptForMs, leaseMs };
  return {
    /**
     * Runs `handle` unless the key was answered already, and stores its answer. If it throws, the key
     * is free again. After a crash the next request with the key runs it again; its `write` then
     * returns the saved result and writes nothing. A `repeatable` request is run each time, without one.
     * @throws AppError unprocessable `idempotency_key_reused`, conflict
     * `idempotency_key_in_progress`, and what `handle` throws
     */
    async run(request: KeyedRequest, handle: Handle): Promise<Answer> {
      const attempt = new Attempt(parts, request);
      const answered = await attempt.begin();
      if (answered && !request.repeatable) return { ...answered, replayed: true };
      return { ...(await (answered ? handle(null) : attempt.run(handle))), replayed: false };
    },
  };
}

type Parts = { records: mongo.Collection<KeyRecord>; logger: Logger; keptForMs: number; leaseMs: number };

/** One attempt at a request. What it changes of the record, it changes only while the lease is its own. */
class Attempt {
  readonly #parts: Parts;
  readonly #request: KeyedRequest;
  readonly #lease = randomUUID();
  readonly #id: string;
  readonly #box;
  /** Undefined until it is known. */
  #body: string | undefined;
  /** The record as it was found. */
  #earlier: KeyRecord | undefined;

  constructor(parts: Parts, request: KeyedRequest) {
    const { key, owner, body } = request;
    this.#parts = parts;
    this.#request = request;
    this.#id = hashOf([owner, key]);
    this.#box = secretBoxOf(key, this.#id);
    this.#body = typeof body === 'string' ? body : undefined;
  }

  /** Claims the key. @returns the stored answer, if there is one: then the key is not claimed */
  async begin(): Promise<StoredAnswer | null> {
    const { operation, body } = this.#request;
    const record = await this.#claim();
    if (record.operation !== operation) throw reused('operation');
    if (record.answer && typeof body !== 'string') this.#body = await body();
    this.#earlier = record;
    this.#compareBodies();
    if (record.answer) return { ...record.answer, body: this.#open(record.answer.body) };
    if (record.lease?.id !== this.#lease) throw inProgress();
    return null;
  }

  async run(handle: Handle): Promise<StoredAnswer> {
    const { leaseMs, logger } = this.#parts;
    const renewal = setInterval(() => {
      this.#update([{ $set: { 'lease.until': fromNow(leaseMs) } }]).catch((error) =>
        logger.warn('lease of an idempotency key not renewed', { error }),
      );
    }, leaseMs / 3).unref();
    try {
      const answer = await handle(this.#request.repeatable ? null : this.#protectedWrite());
      await this.#store(answer);
      return answer;
    } catch (error) {
      await this.#release(error);
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  #protectedWrite(): ProtectedWrite {
    const { written } = this.#earlier ?? {};
    return createProtectedWrite({
      earlier: written === undefined ? null : EJSON.parse(this.#box.open(written, this.#id)),
      saveResult: async (result, session) => {
        const sealed = this.#box.seal(EJSON.stringify({ result }, { relaxed: false }), this.#id);
        const change = { $set: { written: sealed, ...this.#bodyIfKnown() } };
        const { matchedCount } = await this.#parts.records.updateOne(this.#mine(), change, { session });
        // The request is over, or another process has taken it over, because this one seemed dead: it must not write any more.
        if (matchedCount === 0) throw inProgress();
      },
      bindBody: (hash) => {
        this.#body = hash;
        this.#compareBodies();
      },
    });
  }

  /** If this write fails, the key stays in progress until its lease ends; a repeat then gets what the first request wrote. */
  async #store({ status, body }: StoredAnswer): Promise<void> {
    const { records, logger } = this.#parts;
    const answer = { status, body: body === null ? null : this.#box.seal(body, this.#id) };
    const set = { answer, ...this.#bodyIfKnown() };
    try {
      await records.updateOne(this.#mine(), { $set: set, $unset: { lease: 1, written: 1 } });
    } catch (error) {
      logger.warn('response for an idempotency key not stored', { error });
    }
  }

  /**
   * A request that failed may be sent again with the same key. If it has written something, the
   * record stays, so that only the same request may use the key.
   */
  async #release(reason: unknown): Promise<void> {
    const { records, logger } = this.#parts;
    // The command would wait for the database, and the client for its answer.
    if (isTransientMongoError(reason)) return;
    try {
      const { deletedCount } = await records.deleteOne({ ...this.#mine(), written: { $exists: false } });
      if (deletedCount === 0) await this.#update({ $unset: { lease: 1 } });
    } catch (error) {
      logger.warn('idempotency key not released before its lease ends', { error });
    }
  }

  /** In one round trip, by the clock of the database: claims a key that is new, expired, or left behind by a process that died. */
  async #claim(): Promise<KeyRecord> {
    const { keptForMs, leaseMs } = this.#parts;
    const request = { operation: this.#request.operation, ...this.#bodyIfKnown() };
    const lease = { id: this.#lease, until: fromNow(leaseMs) };
    const fresh = { _id: this.#id, ...request, lease, expires_at: fromNow(keptForMs) };
    const isExpired = isPast('$expires_at');
    const isLeft = { $and: [isPast('$lease.until'), { $not: ['$answer'] }, ...isSameAs(request)] };
    const takenOver = { $mergeObjects: ['$$ROOT', { lease }] };
    const update = [{ $replaceWith: { $cond: [isExpired, fresh, { $cond: [isLeft, takenOver, '$$ROOT'] }] } }];
    const options = { upsert: true, returnDocument: 'after' } as const;
    const claim = () => this.#parts.records.findOneAndUpdate({ _id: this.#id }, update, options);
    try {
      return (await claim()) as KeyRecord;
    } catch (error) {
      // Two requests made the record at once; now it exists.
      if (!isDuplicateKey(error)) throw error;
      return (await claim()) as KeyRecord;
    }
  }

  #mine() {
    return { _id: this.#id, 'lease.id': this.#lease };
  }

  #update(update: object): Promise<unknown> {
    return this.#parts.records.updateOne(this.#mine(), update);
  }

  #bodyIfKnown(): { body?: string } {
    return this.#body === undefined ? {} : { body: this.#body };
  }

  #open(sealed: string | null): string | null {
    return sealed === null ? null : this.#box.open(sealed, this.#id);
  }

  #compareBodies(): void {
    const { body } = this.#earlier ?? {};
    if (body !== undefined && this.#body !== undefined && body !== this.#body) throw reused('body');
  }
}

// Expressions of MongoDB, by its clock: those of the services may differ.

function fromNow(ms: number): object {
  return { $add: ['$$NOW', ms] };
}

/** Whether a time has come; true if there is none. */
function isPast(field: string): object {
  return { $lte: [{ $ifNull: [field, new Date(0)] }, '$$NOW'] };
}

/** Whether what the record knows of its request is the same as here. */
function isSameAs(request: { operation: string; body?: string }): object[] {
  return Object.entries(request).map(([field, value]) => ({ $eq: [{ $ifNull: [`$${field}`, value] }, value] }));
}

function reused(what: 'operation' | 'body'): AppError {
  const before = what === 'body' ? 'with another body' : 'for another method or path';
  const message = `this Idempotency-Key was sent ${before} in the last 24 hours; a new request needs a new key`;
  return new AppError('unprocessable', 'idempotency_key_reused', message);
}

function inProgress(): AppError {
  const message = 'the first request with this Idempotency-Key is still in progress; try again shortly';
  return new AppError('conflict', 'idempotency_key_in_progress', message);
}
