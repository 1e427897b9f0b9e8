// The tag is the stored version. A hash of the answer would refuse changes because a note was added, or a reader sees less.
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';

/**
 * Refuses a change unless `If-Match` names the version that it replaces. Call it inside the store's compare-and-set:
 * after an earlier check another change could come in between.
 * @throws AppError precondition_failed `precondition_failed`
 */
export type Precondition = (version: number) => void;

/** Sets the ETag to the version that the response shows, for `If-Match` of a later change (RFC 9110, 8.8.3). */
export function sendVersion(res: Response, version: number): void {
  res.setHeader('ETag', etagOf(version));
}

/** The version that a service sent by `sendVersion`. */
export function versionIn(etag: unknown): number | undefined {
  const [, version] = /^"(\d+)"$/.exec(String(etag)) ?? [];
  return version === undefined ? undefined : Number(version);
}

/**
 * The precondition of the request's `If-Match`; null without the header. Weak tags match nothing, `*` matches any
 * version.
 */
export function preconditionOf({ headers }: Pick<Request, 'headers'>): Precondition | null {
  const sent = headers['if-match'];
  if (sent === undefined) return null;
  const tags = sent.split(',').map((tag) => tag.trim());
  return (version) => {
    if (tags.includes('*') || tags.includes(etagOf(version))) return;
    const message = 'this has changed since it was read: read it again, and decide on what it holds now';
    throw new AppError('precondition_failed', 'precondition_failed', message);
  };
}

function etagOf(version: number): string {
  return `"${version}"`;
}
