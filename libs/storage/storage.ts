import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '@app/kernel';

/** What is known of a file besides its bytes; backends keep it for the people who look into them, nothing reads it back. */
export type FileDescription = { name: string; type: string };

/** The bytes from `start` to `end`, both included and counted from 0; without `end`, to the last one. */
export type ByteRange = { start: number; end?: number };

/** A file as it is stored; `size` in bytes. */
export type StoredFile = { key: string; size: number; createdAt: Date };

/**
 * Files under unguessable keys (design section 9). A file never changes under its key. Streams alone: memory does not
 * grow with the file, and a slow reader slows its source down. An outage rejects with
 * `unavailable`, whatever the backend calls it.
 */
export type Storage = {
  /**
   * Stores what the stream gives and resolves once it is durable. Where the stream fails or ends early, or `signal`
   * aborts, it rejects with that reason, has destroyed the stream and leaves nothing behind.
   * `under`: its key, fresh from `newKey()`, for who must know it before the file is there.
   */
  put(content: Readable, options: FileDescription & { under?: string; signal?: AbortSignal }): Promise<StoredFile>;
  /** The content; destroying the stream frees what it held. Throws `not_found` for a key that holds no file. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Null for a key that holds no file, a malformed one included. */
  stat(key: string): Promise<StoredFile | null>;
  /** Removes the file, or what a crash left of an upload. Nothing happens where there is none. */
  remove(key: string): Promise<void>;
  /**
   * Every file made before `olderThan`, in no promised order, a bounded number in memory. Uploads that a crash cut short
   * are among them: `remove` clears them too. Files may be removed while the list is read.
   */
  list(filter: { olderThan: Date }): AsyncIterable<StoredFile>;
  /** Rejects where the backend does not answer: what `/readyz` asks. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in base64url: nobody finds a file by guessing, and no key means anything in a path or an address. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether the text could be a key. Every backend asks before it touches anything: `../` never becomes a path. */
export function isKey(text: string): boolean {
  return keyPattern.test(text);
}

export function fileNotFound(): AppError {
  return new AppError('not_found', 'file_not_found', 'this file does not exist');
}
