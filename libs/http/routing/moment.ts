import { readIsoDate } from '@app/kernel';
import Joi from 'joi';

/** An ISO date, UTC if it has no zone, as a Date. */
export const isoDate = Joi.string()
  .isoDate()
  .max(40)
  .custom((value: string, helpers) => readIsoDate(value) ?? helpers.error('string.isoDate'))
  .prefs({ abortEarly: true });

/** A point in time of a filter: as above or, as the lists of tickets take it, in milliseconds. */
export const moment = Joi.alternatives()
  .try(
    Joi.string()
      .pattern(/^\d{1,15}$/)
      .custom((value: string) => new Date(Number(value))),
    // Unconverted: Joi would read a time without a zone as local time.
    isoDate.prefs({ convert: false }),
  )
  .messages({ 'alternatives.match': '{{#label}} must be an ISO date or a timestamp in milliseconds' });
