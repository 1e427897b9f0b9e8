import { oneOf } from '@app/contracts';
import { type Column, type List, sortColumns } from '@app/kernel';
import Joi from 'joi';
import { documentedAs } from '../openapi/documented-as.ts';
import { day, moment } from '../routing/moment.ts';
import { id } from '../routing/validate.ts';

type Parameters = Record<string, Joi.Schema>;

/** The parameters of the filters that a list declares, for the query of its operations. */
export function filterParameters({ columns, words }: List): Parameters {
  const all = Object.values(columns).flatMap((column): [string, Joi.Schema][] => {
    const { equals, from, to, about, type } = column;
    const described = (schema: Joi.Schema, text?: string) => {
      const description = [about, text].filter((part) => part !== undefined).join(': ');
      return description === '' ? schema : schema.description(description);
    };
    const [start, end] = type === 'moment' ? ['at or after', 'before'] : ['this or more', 'this or less'];
    return [
      ...(equals === undefined ? [] : [[equals, described(schemaOf(column))] as [string, Joi.Schema]]),
      ...(from === undefined ? [] : [[from, described(boundOf(column), start)] as [string, Joi.Schema]]),
      ...(to === undefined ? [] : [[to, described(boundOf(column), end)] as [string, Joi.Schema]]),
    ];
  });
  const q = Joi.string().max(200).description('words, each from its beginning on');
  return { ...(words && { q }), ...Object.fromEntries(all) };
}

/** The parameters of the order of a list. */
export function sortParameters(list: List, byDefault: { by: string; order: 'asc' | 'desc' }): Parameters {
  return {
    sort: oneOf(sortColumns(list)).default(byDefault.by).description('the column to sort by'),
    order: Joi.string().valid('asc', 'desc').default(byDefault.order),
  };
}

function schemaOf({ type, values = [] }: Column): Joi.Schema {
  if (values.length > 0) return oneOrMore(values);
  if (type === 'flag') return flag;
  if (type === 'id') return id;
  return Joi.string().max(200);
}

function boundOf({ type }: Column): Joi.Schema {
  if (type === 'moment') return moment;
  return type === 'money' ? Joi.number().min(-1e12).max(1e12) : dayParameter;
}

/** `true` or `false`. Converts to a boolean: no `valid`, which ends the validation before it converts. */
export const flag = documentedAs(
  Joi.string().custom((value: string, helpers) =>
    value === 'true' || value === 'false' ? value === 'true' : helpers.error('any.only', { valids: 'true, false' }),
  ),
  { type: 'string', enum: ['true', 'false'] },
);

const dayParameter = documentedAs(day, { type: 'string', format: 'date' });

/** Values separated by commas, as an array. */
function oneOrMore(values: readonly string[]): Joi.Schema {
  const text = Joi.string()
    .max(500)
    .custom((value: string, helpers) => {
      const named = [...new Set(value.split(','))];
      return named.every((one) => values.includes(one))
        ? named
        : helpers.error('any.only', { valids: values.join(', ') });
    })
    .messages({ 'any.only': '{{#label}} must be one of {{#valids}}, or several separated by commas' });
  return documentedAs(text, { type: 'array', minItems: 1, items: { type: 'string', enum: [...values] } });
}
