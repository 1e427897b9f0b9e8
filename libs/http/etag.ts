import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';

/**
 * Refuses the change of any version but those that `If-Match` names. Called with the version that the change replaces, where the
 * compare-and-set of the store holds it: a check before that would let another change pass in between.
 * @throws AppError precondition_failed `precondition_failed`
 */
export type Precondition = (version: number) => void;

/** Says which version an answer shows, for `If-Match` of a later change (RFC 9110, 8.8.3). */
export function sendVersion(res: Response, version: number): void {
  res.setHeader('ETag', etagOf(version));
}

/** Of `If-Match`; null without it. Weak tags match nothing, `*` any version. */
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
