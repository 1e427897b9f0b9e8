import type { Caller } from '@app/contracts';
import { answer, id } from '@app/http';
import { AppError } from '@app/kernel';
import Joi from 'joi';
import { clientsOnly } from '../http/client-only-access.ts';
import type { Versioned } from './location-snapshot.ts';
import type { Referential, ReferentialKind } from './referential.ts';
import type { KindRow } from './referential-kinds.ts';
import type { ReferentialStore } from './referential-store.ts';

export type KindDeps = { row: KindRow; referentials: ReferentialStore };
export type EntryParams = Record<string, string>;

/** The routes of a kind. */
export const common = (row: KindRow) =>
  ({ host: 'ticket', tag: row.tag, access: clientsOnly, path: `/api/v3.0/${row.path}` }) as const;
/** A user limited to places who could move them, or make others, could lift the limit. */
export const writing = ({ kind }: KindRow) =>
  kind === 'location' ? { access: { ...clientsOnly, everyPlace: true } as const } : {};
export const placesOf = ({ kind }: KindRow, { placeIds }: Caller) => (kind === 'location' ? placeIds : undefined);
export const enveloped = (row: KindRow) => answer({ [row.one]: row.view });
export const called = (key: string) => key.replace('_', ' ');

/** The routes of one entry: they load it, or answer 404 if the caller's company has none such. */
export function entryOf(row: KindRow, referentials: ReferentialStore) {
  const parameter = `${row.one}_id`;
  return {
    ...common(row),
    path: `${common(row).path}/:${parameter}`,
    params: Joi.object<EntryParams>({ [parameter]: id.required() }),
    load({ params, caller }: { params: EntryParams; caller: Caller }) {
      const _id = params[parameter] ?? '';
      if (placesOf(row, caller)?.includes(_id) === false) throw notFound(row.kind);
      return findOne(referentials, { kind: row.kind, client_id: caller.companyId, _id });
    },
    versioned: true,
    reply: { status: 200, schema: enveloped(row) },
  } as const;
}

export async function envelope({ row, referentials }: KindDeps, found: Referential): Promise<object> {
  return { [row.one]: (await referentials.views([found]))[0] };
}

async function findOne(
  referentials: ReferentialStore,
  key: Parameters<ReferentialStore['find']>[0],
): Promise<Versioned> {
  const found = await referentials.find(key);
  if (found) return found;
  throw notFound(key.kind);
}

function notFound(kind: ReferentialKind): AppError {
  return new AppError('not_found', `${kind}_not_found`, `there is no such ${called(kind)}`);
}
