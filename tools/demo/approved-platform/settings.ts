import { HttpError } from '../fake-server/http-server.ts';
import { type DocType, docTypes } from './flow.ts';

/** What the standard leaves open, or platforms do otherwise (README.md). */
export type Settings = {
  /** How long a token is good, and whether its answer says so. */
  tokenSeconds: number;
  tellsExpiry: boolean;
  /** Where the client's id and secret may stand in a token request. */
  clientAuthentication: 'any' | 'basic' | 'body';
  /** What a search does whose `limit` is above 100. */
  limitAbove: 'refuse' | 'cap';
  /** Results at once, whatever `limit` says. */
  mostPerPage: number;
  /** Whether a search has a `nextCursor`, and its answer the `limit`. */
  cursors: boolean;
  tellsLimit: boolean;
  order: 'ascending' | 'descending' | 'shuffled';
  /** When a flow that was sent leaves Pending: null is when the control API says so. */
  acknowledgeAfterMs: number | null;
  /** Documents that the platform does not have, of any flow. */
  missing: DocType[];
  /** What decides whether a flow is answered as JSON or as a file: its `docType`, or the first type of `Accept`. */
  negotiation: 'docType' | 'accept';
  /** Whether callbacks are sent by themselves, or by the control API alone. */
  callbacks: 'automatic' | 'manual';
  signatureKey: 'base64' | 'text';
  signatureDigest: 'bytes' | 'hex';
  directory: 'complete' | 'without-status' | 'unavailable';
  /** Whether SIREN and SIRET can be looked up. */
  lookUps: boolean;
};

const checks: { [Name in keyof Settings]: [initial: Settings[Name], ...others: (Settings[Name] | Check)[]] } = {
  tokenSeconds: [1_800, (value) => Number.isInteger(value) && (value as number) >= 0],
  tellsExpiry: [true, false],
  clientAuthentication: ['any', 'basic', 'body'],
  limitAbove: ['refuse', 'cap'],
  mostPerPage: [100, (value) => Number.isInteger(value) && (value as number) >= 1],
  cursors: [true, false],
  tellsLimit: [true, false],
  order: ['ascending', 'descending', 'shuffled'],
  acknowledgeAfterMs: [0, null, (value) => typeof value === 'number' && value >= 0],
  missing: [[], (value) => Array.isArray(value) && value.every((one) => docTypes.includes(one))],
  negotiation: ['docType', 'accept'],
  callbacks: ['automatic', 'manual'],
  signatureKey: ['base64', 'text'],
  signatureDigest: ['bytes', 'hex'],
  directory: ['complete', 'without-status', 'unavailable'],
  lookUps: [true, false],
};

type Check = (value: unknown) => boolean;

export function initialSettings(): Settings {
  return Object.fromEntries(Object.entries(checks).map(([name, [initial]]) => [name, initial])) as Settings;
}

/** Changes the given settings, all or none. @throws HttpError 422 */
export function change(settings: Settings, given: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(given)) {
    const allowed: readonly unknown[] | undefined = Object.hasOwn(checks, name)
      ? checks[name as keyof Settings]
      : undefined;
    if (!allowed) throw new HttpError(422, 'invalid_setting', `there is no setting ${name}`);
    if (!allowed.some((one) => one === value || (typeof one === 'function' && (one as Check)(value)))) {
      throw new HttpError(422, 'invalid_setting', `${name} has no such value`);
    }
  }
  Object.assign(settings, given);
}
