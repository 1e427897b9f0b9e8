import { setImmediate } from 'node:timers/promises';
import { auditChanges, audited } from '@app/contracts';
import { answer, auditSource, moment, named, type Route, route, sendVersion } from '@app/http';
import { type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { clockNames, clocks } from '../clocks/clocks.ts';
import { type ClockSettings as Body, hoursFor } from '../clocks/policies.ts';
import { date } from '../http/answer-schemas.ts';
import { clientsOnly } from '../http/client-only-access.ts';
import type { ReferentialStore } from '../referentials/referential-store.ts';
import { settingsFields } from './clock-settings-schemas.ts';
import type { ClockSettingsStore } from './clock-settings-store.ts';

type Deps = { clockSettings: ClockSettingsStore; referentials: Pick<ReferentialStore, 'byIds'>; now: () => Date };

/** Of tickets in a preview. */
const lastYear = 2199;
const path = '/clock-settings';
const common = { host: 'ts', tag: 'Deadlines', path } as const;
/** Whoever is limited to places would change what is due elsewhere. */
const access = { ...clientsOnly, everyPlace: true } as const;
const reply = { status: 200, schema: named('ClockSettings', settingsFields) } as const;
const due = answer({ response_due_at: date, arrival_due_at: date, finish_due_at: date });

/** By when a client expects what, and the hours of its places. */
export function clockSettingsRoutes({ clockSettings, referentials, now }: Deps): Route[] {
  return [
    route({
      ...common,
      access,
      method: 'get',
      summary: 'Read the deadlines of your tickets, and the hours of your places',
      versioned: true,
      reply,
      async handle({ caller, res }) {
        const { version, policies, hours } = await clockSettings.find(caller.companyId);
        sendVersion(res, version);
        return { policies, hours };
      },
    }),
    route<object, object, Body>({
      ...common,
      access: { ...access, permission: 'admin' },
      method: 'put',
      summary: 'Set the deadlines of your tickets, and the hours of your places',
      description:
        'Of several policies that fit a ticket the most specific holds: by the nearest place, then the nearest domain, then the typology. Open tickets follow within minutes; of a ticket with several places the hours of the first count.',
      versioned: true,
      body: Joi.object<Body>(settingsFields),
      errors: ['409 changed_meanwhile'],
      reply,
      async handle({ caller: { companyId }, body, precondition, res, ...request }) {
        await checkNamed({ referentials }, companyId, body);
        const { version, ...before } = await clockSettings.find(companyId);
        precondition?.(version);
        const changed = changedSettings(companyId, { before, after: body });
        const event = audited({ ...changed, ...auditSource(request) }, now());
        await clockSettings.save(companyId, { ...body, version }, changed.changes.length > 0 ? [event] : []);
        sendVersion(res, version + 1);
        return body;
      },
    }),
    route<object, object, Body & { opened_at: Date }>({
      ...common,
      access,
      path: `${path}/preview`,
      method: 'post',
      summary: 'By when what is due of a ticket, by each of these policies',
      description: 'Writes nothing. In the order of `policies`, at the place of each.',
      body: Joi.object<Body & { opened_at: Date }>({ ...settingsFields, opened_at: moment.required() }),
      reply: { status: 200, schema: answer({ due: Joi.array().items(due) }) },
      async handle({ body: { policies, hours, opened_at: at } }) {
        if (at.getUTCFullYear() > lastYear) {
          throw new ValidationError([{ path: 'opened_at', message: `opened_at must be before ${lastYear + 1}` }]);
        }
        const opened = {
          changes: [{ at, status: 'opened' as const, asks_client: false }],
          moves: [],
          arrived_at: null,
        };
        const due: object[] = [];
        for (const policy of policies) {
          const ofPlace = hoursFor(hours, { places: [[policy.location_id ?? '']] });
          const states = ofPlace && clocks(opened, policy, ofPlace, at);
          due.push(Object.fromEntries(clockNames.map((name) => [`${name}_due_at`, states?.[name]?.due_at ?? null])));
          // Each may look ten years ahead, day by day: others have their turn between them.
          await setImmediate();
        }
        return { due };
      },
    }),
  ];
}

/** What the audit log says of a change: each policy, and the hours of each place, as a text. `*` is any. */
function changedSettings(companyId: string, { before, after }: Record<'before' | 'after', Body>) {
  const idsIn = (ids: (string | null)[]) => ids.map((id) => id ?? '*').join(' ');
  const texts = ({ policies, hours }: Body) => ({
    policies: policies.map(({ priority, location_id, domain_id, typology_id, warn_percent, ...targets }) => {
      const times = clockNames.flatMap((name) => {
        const target = targets[name];
        return target ? `${name} ${target.amount} ${target.unit}` : [];
      });
      return `${priority} ${idsIn([location_id, domain_id, typology_id])}: ${[...times, `${warn_percent}%`].join(', ')}`;
    }),
    hours: hours.map(({ location_id, time_zone, openings, holidays, closed }) => {
      const week = openings.map(({ day, from, to }) => `${day} ${from}-${to}`);
      return `${idsIn([location_id, holidays])} ${time_zone}: ${[...week, ...closed].join(', ')}`;
    }),
  });
  const names = ['policies', 'hours'];
  return {
    companyId,
    action: 'clock_settings.changed' as const,
    target: { kind: 'company', id: companyId, name: null },
    changes: auditChanges(texts(before), texts(after), { names, shown: names }),
  };
}

/** @throws ValidationError for places and domains that are none of the client, and without hours for all places */
async function checkNamed({ referentials }: Pick<Deps, 'referentials'>, clientId: string, { policies, hours }: Body) {
  const named = [
    ...policies.flatMap(({ location_id, domain_id }, index) => [
      { path: `policies.${index}.location_id`, kind: 'location', id: location_id },
      { path: `policies.${index}.domain_id`, kind: 'domain', id: domain_id },
    ]),
    ...hours.map(({ location_id: id }, index) => ({ path: `hours.${index}.location_id`, kind: 'location', id })),
  ];
  const found = await referentials.byIds(clientId, [...new Set(named.flatMap(({ id }) => id ?? []))]);
  const isKnown = (kind: string, id: string) => found.some((one) => one._id === id && one.kind === kind);
  const faults: FieldError[] = named.flatMap(({ path: where, kind, id }) =>
    id === null || isKnown(kind, id) ? [] : [{ path: where, message: `${where} is no ${kind} of yours` }],
  );
  if (policies.length > 0 && hours.every(({ location_id }) => location_id !== null)) {
    faults.push({ path: 'hours', message: 'hours must have some of all places: `location_id` null' });
  }
  if (faults.length > 0) throw new ValidationError(faults);
}
