import Joi from 'joi';

/** A 24-hexadecimal id in an event. */
export const id = Joi.string().hex().length(24);
export const isoDate = Joi.string().isoDate();
export const text = Joi.string().allow('');

/** A text that is one of these. */
export function oneOf<Value extends string>(values: readonly Value[]): Joi.StringSchema<Value> {
  return Joi.string<Value>().valid(...values);
}
