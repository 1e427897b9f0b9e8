import { HttpError } from '../fake-server/http-server.ts';
import { type DocType, docTypes } from './flow.ts';

/** What the standard leaves open, or platforms do otherwise (README.md). */
export type Settings = {
  /** How long a token is good. */
  tokenSeconds: number;
  /** Where the client's id and secret may stand in a token request. */
  clientAuthentication: 'any' | 'basic' | 'body';
  /** What a search does whose `limit` is above 100. */
  limitAbove: 'refuse' | 'cap';
  /** Results at once, whatever `limit` says. */
  mostPerPage: number;
  /** What a `nextCursor` names: a place in the list that the first page made, or how many flows came before; `none`: there is none. */
  cursors: 'bookmark' | 'count' | 'none';
  order: 'ascending' | 'descending' | 'shuffled';
  /** When a flow that was sent leaves Pending: null is when the admin API says so. */
  acknowledgeAfterMs: number | null;
  /** Documents that the platform does not have, of any flow. */
  missing: DocType[];
  /** What decides whether a flow is answered as JSON or as a file: its `docType`, or the first type of `Accept`. */
  negotiation: 'docType' | 'accept';
  /** Whether callbacks are sent by themselves, or by the admin API alone. */
  callbacks: 'automatic' | 'manual';
  signatureKey: 'base64' | 'text';
  signatureDigest: 'bytes' | 'hex';
  directory: 'complete' | 'without-status' | 'unavailable';
  /** Whether SIREN and SIRET can be looked up. */
  lookUps: boolean;
};

type Check = (value: unknown) => boolean;

const isWhole = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
/** The values of each, the initial one first. */
const allowed: { [Name in keyof Settings]: [Settings[Name], ...(Settings[Name] | Check)[]] } = {
  tokenSeconds: [1_800, isWhole],
  clientAuthentication: ['any', 'basic', 'body'],
  limitAbove: ['refuse', 'cap'],
  mostPerPage: [100, isWhole],
  cursors: ['bookmark', 'count', 'none'],
  order: ['ascending', 'descending', 'shuffled'],
  acknowledgeAfterMs: [0, null, isWhole],
  missing: [[], (value) => Array.isArray(value) && value.every((one) => docTypes.includes(one))],
  negotiation: ['docType', 'accept'],
  callbacks: ['automatic', 'manual'],
  signatureKey: ['base64', 'text'],
  signatureDigest: ['bytes', 'hex'],
  directory: ['complete', 'without-status', 'unavailable'],
  lookUps: [true, false],
};

export function initialSettings(): Settings {
  return Object.fromEntries(Object.entries(allowed).map(([name, [initial]]) => [name, initial])) as Settings;
}

/** Changes the given settings, all or none. @throws HttpError 422 */
export function change(settings: Settings, given: Partial<Settings>): void {
  const values: Record<string, readonly unknown[]> = allowed;
  for (const [name, value] of Object.entries(given)) {
    const fits = (one: unknown) => one === value || (typeof one === 'function' && (one as Check)(value));
    if (!Object.hasOwn(values, name) || !values[name]?.some(fits)) {
      throw new HttpError(422, 'invalid_setting', `there is no setting ${name}, or it has no such value`);
    }
  }
  Object.assign(settings, given);
}
