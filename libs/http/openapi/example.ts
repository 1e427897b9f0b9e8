import type { Json } from './json-schema.ts';
import { sampleOf } from './samples.ts';

type Property = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Property[];
  properties?: Record<string, Property>;
  required?: string[];
  items?: Property;
  enum?: unknown[];
  default?: unknown;
  minimum?: number;
  minProperties?: number;
};

/** The value of a field that `samples.ts` does not know: a test fails on it. */
export const withoutSample = 'no sample';

/** An example of a response has every field; one of a request has the required fields, or one if none is required. */
type Use = 'answer' | 'request';

/** `within`: the names of the schema and the field that contain a field, if they have names. */
type Context = { use: Use; schemas: Record<string, Json>; within: string[] };

/**
 * A value that matches the schema. It is always the same, so that generated documents do not change without a reason.
 * `within` names what the schema belongs to, if it has no name of its own.
 */
export function exampleOf(schema: Json, context: Context): unknown {
  return valueIn('', schema as Property, context);
}

function valueIn(field: string, schema: Property, context: Context): unknown {
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return valueIn(field, context.schemas[name] as Property, { ...context, within: [name] });
  }
  const sample = sampleOf(context.within, field, (value) => fits(value, schema));
  if (sample !== undefined) return sample;
  if (schema.enum) return schema.enum[0];
  if (anyOf) return valueIn(field, anyOf.find(({ type }) => type !== 'null') ?? {}, context);
  switch (typesOf(schema)[0]) {
    case 'object':
      return objectOf(schema, { ...context, within: [...context.within, field] });
    case 'array':
      return schema.items ? [valueIn(singular(field), schema.items, context)] : [];
    case 'boolean':
      return schema.default ?? true;
    case 'integer':
    case 'number':
      return schema.default ?? schema.minimum ?? 1;
    default:
      return withoutSample;
  }
}

function objectOf({ properties = {}, required = [], minProperties = 0 }: Property, context: Context): Json {
  const names = Object.keys(properties);
  const needed = names.filter((name) => required.includes(name));
  const shown = context.use === 'answer' ? names : names.slice(0, needed.length > 0 ? 0 : minProperties);
  return Object.fromEntries(
    names
      .filter((name) => shown.includes(name) || needed.includes(name))
      .map((name) => [name, valueIn(name, properties[name] as Property, context)]),
  );
}

function typesOf({ type = [] }: Property): string[] {
  return [type].flat();
}

/** Whether the type and enum of a schema allow a sample. Tests check the other rules. */
function fits(value: unknown, schema: Property): boolean {
  if (schema.enum) return schema.enum.includes(value);
  if (schema.anyOf) return schema.anyOf.some((one) => fits(value, one));
  const types = typesOf(schema);
  if (value === null) return types.includes('null');
  return types.includes(typeof value) || (Number.isInteger(value) && types.includes('integer'));
}

/** `location_ids` → `location_id`. */
function singular(field: string): string {
  return field.replace(/s$/, '');
}
