import type Joi from 'joi';

export type Json = Record<string, unknown>;

/** A Joi schema as JSON Schema 2020-12, which OpenAPI 3.1 embeds. What has a name stands in `$defs`. */
export function jsonSchema(schema: Joi.Schema): Json {
  const standard = (schema as unknown as { '~standard': { jsonSchema: { input(options: object): Json } } })[
    '~standard'
  ];
  const { $schema: _, ...rest } = standard.jsonSchema.input({ target: 'draft-2020-12' });
  return mapObjects(rest, (part) => withNull(withPattern(part))) as Json;
}

/** The same for what others receive: fields may be added within a version, so a receiver must not refuse them. */
export function openJsonSchema(schema: Joi.Schema): Json {
  return mapObjects(jsonSchema(schema), ({ additionalProperties, ...part }) =>
    additionalProperties === undefined || additionalProperties === false ? part : { ...part, additionalProperties },
  ) as Json;
}

/** Moves `$defs` to where an OpenAPI document has its schemas. */
export function withComponents(schema: Json): { schema: Json; components: Record<string, Json> } {
  const { $defs: components = {}, ...rest } = mapObjects(schema, (part) =>
    typeof part['$ref'] === 'string'
      ? { ...part, $ref: part['$ref'].replace('#/$defs/', '#/components/schemas/') }
      : part,
  ) as Json & { $defs?: Record<string, Json> };
  return { schema: rest, components };
}

/** `hex` is a format of Joi alone; every tool knows patterns. */
function withPattern({ format, ...part }: Json): Json {
  if (format === 'hex') return { ...part, pattern: '^[0-9a-fA-F]+$' };
  return format === undefined ? part : { ...part, format };
}

/** Joi leaves null out of the values of an enum that allows it. */
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
