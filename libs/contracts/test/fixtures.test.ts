import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Joi from 'joi';
import { callerSchema, type DomainEvent, type EventType, eventTypes } from '../index.ts';

type Json = Record<string, unknown>;
type Path = (string | number)[];

const folder = join(__dirname, '../fixtures');
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const fixture = (type: string) => JSON.parse(readFileSync(join(folder, `${type}.json`), 'utf8')) as DomainEvent<Json>;
const typeOf = (name: string) => eventTypes.get(name) as unknown as EventType<Json>;

/** As the owner writes: strict. */
const written = (name: string, data: unknown) => typeOf(name).schema.validate(data, { convert: false }).error?.message;
/** As a consumer reads (libs/messaging): what it does not know yet is let through. */
const heard = (name: string, data: unknown) =>
  typeOf(name).schema.validate(data, { convert: false, allowUnknown: true }).error?.message;

const envelope = Joi.object({
  specversion: Joi.string().valid('1.0').required(),
  id: Joi.string().uuid().required(),
  source: Joi.string()
    .pattern(/^\/services\/[a-z-]+$/)
    .required(),
  type: Joi.string().required(),
  subject: Joi.string().hex().length(24),
  time: Joi.string().isoDate().required(),
  datacontenttype: Joi.string().valid('application/json').required(),
  data: Joi.object().required(),
  traceparent: Joi.string().pattern(/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/),
  requestid: Joi.string(),
});

/** Every key of the data, at any depth: `['payload', 'ticket', 'id']`. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsIn(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...pathsIn(inner, [...path, key])]);
}

/** A copy of the data in which the object that holds the last key of `path` was changed. */
function changed(data: Json, path: Path, change: (holder: Json, key: string) => void): Json {
  const copy = structuredClone(data);
  const holder = path.slice(0, -1).reduce<Json>((inner, key) => inner[key] as Json, copy);
  change(holder, String(path.at(-1)));
  return copy;
}

/** Every key that a schema declares, and whether it is declared optional in so many words. */
/** What is inside of an optional field goes with it. */
function declared(description: Joi.Description, path: string[] = [], within = false): Declared[] {
  return Object.entries((description['keys'] ?? {}) as Record<string, Joi.Description>).flatMap(([key, inner]) => {
    const optional = (inner.flags as { presence?: string })?.presence === 'optional';
    const absent = within || optional;
    return [{ path: [...path, key].join('.'), optional, absent }, ...declared(inner, [...path, key], absent)];
  });
}
type Declared = { path: string; optional: boolean; absent: boolean };

/** Optional fields that the example of a type does not show: they do not go with the rest of it, or came after it was frozen. */
const unshownFields: Record<string, string[]> = {
  'export.page_read.v1': ['refused'],
  'export.page_requested.v1': [
    ...['list', 'list.address', 'list.caller'],
    ...Object.keys(callerSchema.describe()['keys']).map((field) => `list.caller.${field}`),
    'list.places',
  ],
  'invoice.feedback_requested.v1': ['again'],
  'invoice.feedback_settled.v1': ['unsendable'],
  'invoice.line_changed.v1': ['', '.kind', '.currency', '.issue_date', '.key', '.replaces'].map(
    (field) => `line.counted${field}`,
  ),
  'location.changed.v1': ['location.parent_id'],
  'notification.raised.v1': [
    'to.user_ids',
    'invoice',
    'invoice.id',
    'invoice.number',
    'endpoint',
    'endpoint.id',
    'endpoint.host',
  ],
  'user.changed.v1': ['user.place_ids'],
  'user.created.v1': ['user.place_ids'],
  'user.erased.v1': ['user.place_ids'],
};

test('every event type has its fixture, and every fixture an event type', () => {
  expect(names.sort()).toEqual([...eventTypes.keys()].sort());
});

describe.each(names)('%s', (name) => {
  const event = fixture(name);
  const paths = pathsIn(event.data);
  const fields = declared(typeOf(name).schema.describe());
  const optional = fields.flatMap((field) => (field.optional ? [field.path] : []));

  test('stands in an envelope of CloudEvents 1.0, and its file has its name', () => {
    expect(envelope.validate(event, { convert: false }).error).toBeUndefined();
    expect(event.type).toBe(name);
  });

  test('is what its owner may write', () => {
    expect(written(name, event.data)).toBeUndefined();
  });

  test('shows every field of its schema', () => {
    const shown = paths.map((path) => path.join('.'));
    expect(fields.length).toBeGreaterThan(0);
    const unshown = fields.map(({ path }) => path).filter((path) => !shown.includes(path));
    expect(unshown).toEqual(unshownFields[name] ?? []);
    const absent = fields.flatMap((field) => (field.absent ? [field.path] : []));
    expect(absent).toEqual(expect.arrayContaining(unshown));
  });

  test('is read by a consumer that does not know its newest fields', () => {
    const holders = [['new'], ...paths.filter((path) => typeof path.at(-1) === 'string')];
    for (const path of holders) {
      const newer = changed(event.data, path, (holder) => {
        holder['newer_field'] = 1;
      });
      expect(heard(name, newer)).toBeUndefined();
      expect(written(name, newer)).toContain('newer_field');
    }
  });

  test('is refused without any field that is not optional, and with something else as any', () => {
    for (const path of paths) {
      const field = path.join('.');
      const without = heard(
        name,
        changed(event.data, path, (holder, key) => void Reflect.deleteProperty(holder, key)),
      );
      expect([field, without]).toEqual([
        field,
        optional.includes(field) ? undefined : expect.stringMatching(/required/),
      ]);
      const wrong = changed(event.data, path, (holder, key) => {
        holder[key] = [{ $gt: '' }];
      });
      expect([field, heard(name, wrong)]).toEqual([field, expect.any(String)]);
    }
  });
});
