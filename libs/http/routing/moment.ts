import { readIsoDate } from '@app/kernel';
import Joi from 'joi';

/** An ISO date, UTC if it has no zone, as a Date. */
export const isoDate = Joi.string()
  .isoDate()
  .max(40)
  .custom((value: string, helpers) => readIsoDate(value) ?? helpers.error('string.isoDate'))
  .prefs({ abortEarly: true });

/** A day of the calendar, YYYY-MM-DD, as text. */
export const day = Joi.string()
  .pattern(/^\d{4}-\d{2}-\d{2}$/)
  .custom((value: string, helpers) => (readIsoDate(value) ? value : helpers.error('string.pattern.base')))
  .messages({ 'string.pattern.base': '{{#label}} must be a day, YYYY-MM-DD' })
  .prefs({ abortEarly: true });

/** Milliseconds since 1970, in digits, as a Date. No ten digits: those are seconds, which would be a day of 1970. */
export const timestamp = Joi.string()
  .pattern(/^(?:0|\d{11,15})$/)
  .custom((value: string) => new Date(Number(value)))
  .messages({ 'string.pattern.base': '{{#label}} must be a timestamp in milliseconds' });

const milliseconds = Joi.number()
  .integer()
  .min(0)
  .max(8_640_000_000_000_000)
  .custom((value: number, helpers) => (value >= 1e9 && value < 1e10 ? helpers.error('number.base') : new Date(value)));

/** A point in time, in a query or in a JSON body: an ISO date or a timestamp in milliseconds, as a Date. */
export const moment = Joi.alternatives()
  // Unconverted: Joi would read a time without a zone as local time.
  .try(milliseconds.prefs({ convert: false }), timestamp, isoDate.prefs({ convert: false }))
  .messages({
    'alternatives.types': '{{#label}} must be an ISO date or a timestamp in milliseconds',
    'alternatives.match': '{{#label}} must be an ISO date or a timestamp in milliseconds',
  });

/** The name of a zone in the IANA database, as it is written there: `Europe/Paris`. */
export const timeZone = Joi.string()
  .max(64)
  .custom((value: string, helpers) => zoneOf(value) ?? helpers.message({ custom: '{{#label}} is no time zone' }));

/** `Intl` takes a name in any case, and offsets, which are no names. */
function zoneOf(text: string): string | null {
  try {
    return /^[a-z]/i.test(text) ? new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone : null;
  } catch {
    return null;
  }
}
