import Joi from 'joi';

/** A title or a name: 1 to 200 characters, not blank. */
export const title = Joi.string()
  .max(200)
  .pattern(/\S/)
  .messages({ 'string.pattern.base': '{{#label}} must not be blank' });

/** A longText of at most 10,000 characters; it may be empty. */
export const longText = Joi.string().max(10_000).allow('');
