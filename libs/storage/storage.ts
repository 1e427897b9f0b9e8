import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '@app/kernel';

/** Stored with a file for people who look into the backend; never read back. */
type FileDescription = { name: string; type: string };

/** The bytes from `start` to `end`, both included and counted from 0; without `end`, to the last one. */
export type ByteRange = { start: number; end?: number };

/** A file as it is stored; `size` in bytes. */
export type StoredFile = { key: string; size: number; createdAt: Date };

/**
 * Stores files under unguessable keys. The file of a key never changes. Content is streamed with backpressure, so memory does not
 * grow with the file. Outages reject with AppError `unavailable`, whatever the backend.
 */
export type Storage = {
  /**
   * Stores the stream; resolves once the file is durable. If the stream fails or `signal` aborts, rejects with that reason,
   * destroys the stream and leaves nothing behind.
   * `under`: a key from `newKey()`, if the caller must know it before the file exists.
   */
  put(content: Readable, options: FileDescription & { under?: string; signal?: AbortSignal }): Promise<StoredFile>;
  /** The content; destroying the stream frees its resources. @throws AppError not_found */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Null if there is no such file, or the key is malformed. */
  stat(key: string): Promise<StoredFile | null>;
  /** Removes the file, or the rest of an interrupted upload. Does nothing if there is none. */
  remove(key: string): Promise<void>;
  /**
   * All files created before `olderThan`, in no particular order, including interrupted uploads. Files may be removed while the
   * list is read.
   */
  list(filter: { olderThan: Date }): AsyncIterable<StoredFile>;
  /** Rejects if the backend does not answer: for `/readyz`. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/** 256 random bits in base64url: unguessable, and safe in paths and URLs. */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether the text has the form of a key. Every backend checks it first, so that `../` never becomes part of a path. */
export function isKey(text: string): boolean {
  return keyPattern.test(text);
}

export function fileNotFound(): AppError {
  return new AppError('not_found', 'file_not_found', 'this file does not exist');
}
