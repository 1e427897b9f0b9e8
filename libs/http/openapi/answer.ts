import { isDeepStrictEqual } from 'node:util';
import Joi from 'joi';

type Json = Record<string, unknown>;
type Fields = Record<string, Joi.Schema>;
type NamedObject = Joi.ObjectSchema & { named(name: string): Joi.ObjectSchema };

/** JSON Schema has what this rule names once, in `$defs`, and refers to it. */
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
 * The schema of an object in an answer: it has every field that does not say `.optional()`. Fields may be added to it, so it
 * does not exclude others.
 */
export function answer(fields: Fields): Joi.ObjectSchema {
  return Joi.object(always(fields)).unknown();
}

/** The same with a name of its own in the OpenAPI document; or a schema that exists, under this name. */
export function named(name: string, of: Fields | Joi.ObjectSchema): Joi.ObjectSchema {
  const schema = Joi.isSchema(of) ? (of as Joi.ObjectSchema) : answer(of as Fields);
  return (joi.object().concat(schema).unknown() as NamedObject).named(name);
}

function always(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { presence } = (schema.describe().flags ?? {}) as { presence?: string };
      return [name, presence === undefined ? schema.required() : schema];
    }),
  );
}
