import { type Route, route, sendVersion } from '@app/http';
import { listRoutes } from '@app/http/lists';
import { newId, ValidationError } from '@app/kernel';
import Joi from 'joi';
import type { Versioned } from './location-snapshot.ts';
import {
  changesOf,
  createReferential,
  namedBy,
  namingFaults,
  type Referential,
  type ReferentialInput,
} from './referential.ts';
import { kinds } from './referential-kinds.ts';
import { liveOnes, referentialLists } from './referential-lists.ts';
import {
  called,
  common,
  entryOf,
  envelope,
  enveloped,
  type KindDeps,
  type EntryParams as Params,
  placesOf,
  writing,
} from './referential-route-base.ts';
import type { ReferentialStore } from './referential-store.ts';

type Deps = { referentials: ReferentialStore; now?: () => Date };

type Row = KindDeps & { now: () => Date };

/** Locations, equipments, jobs, domains and custom fields: the same six operations for every kind. */
export function referentialRoutes({ referentials, now = () => new Date() }: Deps): Route[] {
  return kinds.flatMap((row) => [
    ...kindRoutes({ row, referentials, now }),
    ...entryRoutes({ row, referentials, now }),
  ]);
}

function kindRoutes({ row, referentials, now }: Row): Route[] {
  return [
    ...listRoutes<Referential>({
      base: common(row),
      summary: [`List ${called(row.many)}`, `Download ${called(row.many)} for a spreadsheet`],
      list: referentialLists[row.kind],
      read: referentials.ofKind(row.kind),
      byDefault: { by: 'created', order: 'asc' },
      show: referentials.views,
      filters: { q: Joi.string().max(100).description('words of names and numbers, each from its beginning on') },
      conditionsOf: async ({ q }, { caller }) => liveOnes(row.kind, { q, among: placesOf(row, caller) }),
      item: row.view,
      names: { items: row.many, cursor: 'cursor', file: row.path },
    }),
    route<object, object, ReferentialInput>({
      ...common(row),
      ...writing(row),
      method: 'post',
      summary: `Create: ${called(row.one)}`,
      body: Joi.object<ReferentialInput>(row.body).fork('name', (field) => field.required()),
      reply: { status: 201, schema: enveloped(row) },
      async handle({ caller, body, write }) {
        const identity = { _id: newId(now()), client_id: caller.companyId, kind: row.kind };
        await checkNamed(referentials, identity, namedBy(body));
        return envelope({ row, referentials }, await referentials.add(createReferential(identity, body), write));
      },
    }),
  ];
}

function entryRoutes({ row, referentials, now }: Row): Route[] {
  const entry = entryOf(row, referentials);
  return [
    route<Params, object, object, Versioned>({
      ...entry,
      method: 'get',
      summary: `Read: ${called(row.one)}`,
      errors: [`404 ${row.kind}_not_found`],
      handle({ resource: found, res }) {
        sendVersion(res, found.version);
        return envelope({ row, referentials }, found);
      },
    }),
    route<Params, object, ReferentialInput, Referential>({
      ...entry,
      ...writing(row),
      method: 'patch',
      summary: `Change the fields sent, at least one: ${called(row.one)}`,
      errors: [`404 ${row.kind}_not_found`, '503 referential_busy'],
      body: Joi.object<ReferentialInput>(row.body).min(1),
      async handle({ resource: found, body, precondition, res }) {
        await checkNamed(referentials, found, namedBy(body, found));
        const changed = await referentials.change(found, changesOf(body), precondition);
        sendVersion(res, changed.version);
        return envelope({ row, referentials }, changed);
      },
    }),
    route<Params, object, object, Referential>({
      ...entry,
      ...writing(row),
      method: 'delete',
      summary: `Delete: ${called(row.one)}`,
      errors: [`404 ${row.kind}_not_found`, '409 in_use', '503 referential_busy'],
      description: 'It is listed no more and cannot be named any more; tickets that name it keep showing it.',
      reply: { status: 204 },
      async handle({ resource: found, precondition }) {
        await referentials.remove(found, now(), precondition);
      },
    }),
  ];
}

/** @throws ValidationError naming each id that is unknown, deleted, another client's or the referential's own */
async function checkNamed(
  referentials: ReferentialStore,
  identity: Pick<Referential, '_id' | 'client_id' | 'kind'>,
  named: Map<string, string>,
): Promise<void> {
  const faults = namingFaults(identity, named, await referentials.byIds(identity.client_id, [...named.values()]));
  if (faults.length > 0) throw new ValidationError(faults);
}
