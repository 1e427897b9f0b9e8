import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';

type Json = Record<string, unknown>;
type Fields = Record<string, Joi.Schema>;
type NamedObject = Joi.ObjectSchema & { named(name: string): Joi.ObjectSchema };

/** A rule that names a schema: it appears once in `$defs` of the JSON Schema, and elsewhere as a reference. */
const namedRule = {
  args: ['name'],
  method(this: Joi.ObjectSchema, name: string) {
    return this.$_addRule({ name: 'named', args: { name } });
  },
  validate: (value: unknown) => value,
  jsonSchema({ args }: { args: { name: string } }, schema: Json, ...[, , { $defs }]: [unknown, unknown, Defs]) {
    const { description, ...definition } = schema;
    define($defs, args.name, definition);
    return { ...(description ? { description } : {}), $ref: `#/$defs/${args.name}` };
  },
};
const joi = Joi.extend({ type: 'object', base: Joi.object(), rules: { named: namedRule } }) as {
  object(): Joi.ObjectSchema;
};

type Defs = { $defs: Record<string, Json> };

/** @throws Error if another schema has this name */
export function define(schemas: Record<string, Json>, name: string, schema: Json): void {
  const before = schemas[name];
  if (before && !isDeepStrictEqual(before, schema)) throw new Error(`two different schemas are called ${name}`);
  schemas[name] = schema;
}

/**
 * The schema of an object in a response: every field is required unless it says `.optional()`. Later releases may add
 * fields, so it does not exclude others.
 */
export function answer(fields: Fields): Joi.ObjectSchema {
  return Joi.object(always(fields)).unknown();
}

/**
 * A schema with a name in the OpenAPI document: an object with these fields (as `answer` makes it), or a given
 * schema.
 */
export function named(name: string, of: Fields | Joi.ObjectSchema): Joi.ObjectSchema {
  const schema = Joi.isSchema(of) ? (of as Joi.ObjectSchema) : answer(of as Fields);
  return (joi.object().concat(schema).unknown() as NamedObject).named(name);
}

function always(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const presence: string | undefined = schema.$_getFlag('presence');
      return [name, presence === undefined ? schema.required() : schema];
    }),
  );
}

/** A string in a response; null if there is none. */
export const nullableString = Joi.string().allow(null);

/** What people wrote, in a response: it may be empty, or null. */
export const freeText = Joi.string().allow('', null);
