import type Joi from 'joi';

export type Json = Record<string, unknown>;

/** A Joi schema as JSON Schema 2020-12, which OpenAPI 3.1 embeds. Named schemas are in `$defs`. */
export function jsonSchema(schema: Joi.Schema): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: object): Json } } })[
    '~standard'
  ];
  const { $schema: _, ...rest } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return mapObjects(rest, (part) => withoutChoice(withNull(withPattern(part)))) as Json;
}

/**
 * The same for bodies that others receive: a version may get new fields, so a receiver must not refuse unknown ones.
 */
export function openJsonSchema(schema: Joi.Schema): Json {
  return mapObjects(jsonSchema(schema), ({ additionalProperties, ...part }) =>
    additionalProperties === undefined || additionalProperties === false ? part : { ...part, additionalProperties },
  ) as Json;
}

/** The fields of an object's schema, which may be a reference to a component. */
export function propertiesOf(schema: Json, schemas: Record<string, Json>): Record<string, Json> {
  const named = typeof schema['$ref'] === 'string' ? schemas[schema['$ref'].split('/').at(-1) ?? ''] : schema;
  return (named?.['properties'] ?? {}) as Record<string, Json>;
}

/** Moves `$defs` to `components.schemas` of an OpenAPI document. */
export function withComponents(schema: Json): { schema: Json; components: Record<string, Json> } {
  const { $defs: components = {}, ...rest } = mapObjects(schema, (part) =>
    typeof part['$ref'] === 'string'
      ? { ...part, $ref: part['$ref'].replace('#/$defs/', '#/components/schemas/') }
      : part,
  ) as Json & { $defs?: Record<string, Json> };
  return { schema: rest, components };
}

/** Joi writes a field that is required on a condition as a choice of one form. */
function withoutChoice({ anyOf, ...part }: Json): Json {
  if (Array.isArray(anyOf) && anyOf.length === 1) return { ...anyOf[0], ...part };
  return anyOf === undefined ? part : { ...part, anyOf };
}

/** Only Joi knows the format `hex`; every tool knows patterns. */
function withPattern({ format, ...part }: Json): Json {
  if (format === 'hex') return { ...part, pattern: '^[0-9a-fA-F]+$' };
  return format === undefined ? part : { ...part, format };
}

/** Adds null to an enum that allows it: Joi leaves it out. */
function withNull(part: Json): Json {
  const { type, enum: values } = part;
  const misses = Array.isArray(type) && type.includes('null') && Array.isArray(values) && !values.includes(null);
  return misses ? { ...part, enum: [...values, null] } : part;
}

function mapObjects(value: unknown, map: (part: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((inner) => mapObjects(inner, map));
  if (typeof value !== 'object' || value === null) return value;
  return map(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapObjects(inner, map)])));
}
