import { readIsoDate } from '@app/kernel';
import Joi from 'joi';

/** A point in time in a JSON body: an ISO date (UTC without a zone) or milliseconds since 1970. Converts to a Date. */
export const moment = Joi.alternatives()
  .try(Joi.number().integer().min(0).max(8_640_000_000_000_000), Joi.string().isoDate().max(40))
  .custom((value: number | string, helpers) => {
    const date = typeof value === 'string' ? readIsoDate(value) : new Date(value);
    return date ?? helpers.error('any.invalid');
  })
  .messages({
    'alternatives.types': '{{#label}} must be an ISO date or a timestamp in milliseconds',
    'alternatives.match': '{{#label}} must be an ISO date or a timestamp in milliseconds',
    'any.invalid': '{{#label}} must be an ISO date or a timestamp in milliseconds',
  });

/** A timestamp in a query: milliseconds since 1970, as a string. Converts to a Date. */
export const timestamp = Joi.string()
  .pattern(/^\d{1,15}$/)
  .custom((value: string) => new Date(Number(value)))
  .messages({ 'string.pattern.base': '{{#label}} must be a timestamp in milliseconds' });

/** `true` or `false` in a query. Converts to a boolean. */
export const flag = Joi.string()
  .valid('true', 'false')
  .custom((value: string) => value === 'true');

/** A title or a name: 1 to 200 characters, not blank. */
export const title = Joi.string()
  .max(200)
  .pattern(/\S/)
  .messages({ 'string.pattern.base': '{{#label}} must not be blank' });

/** A text of at most 10,000 characters; it may be empty. */
export const text = Joi.string().max(10_000).allow('');
