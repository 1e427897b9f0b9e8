import Joi from 'joi';
import type { Json } from './json-schema.ts';

type Documented = Joi.StringSchema & { documentedAs(part: Json): Joi.StringSchema };

const rule = {
  args: ['part'],
  method(this: Joi.StringSchema, part: Json) {
    return this.$_addRule({ name: 'documentedAs', args: { part } });
  },
  validate: (value: unknown) => value,
  jsonSchema: ({ args }: { args: { part: Json } }, { description }: Json) => ({
    ...(description ? { description } : {}),
    ...args.part,
  }),
};
const joi = Joi.extend({ type: 'string', base: Joi.string(), rules: { documentedAs: rule } }) as {
  string(): Documented;
};

/** The same schema, shown as `part` in the OpenAPI document: for text that a function checks, which the document cannot show. */
export function documentedAs(schema: Joi.StringSchema, part: Json): Joi.StringSchema {
  const base: Joi.StringSchema = joi.string();
  return (base.concat(schema) as Documented).documentedAs(part);
}

/** An enum whose values have names, for generators of code. */
export function namedEnum(values: Record<string, string>): Json {
  return { type: 'string', enum: Object.values(values), 'x-enum-varnames': Object.keys(values) };
}
