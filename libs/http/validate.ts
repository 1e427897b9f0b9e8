import { AppError, type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { findShapeFaults } from './field-faults.ts';

const common: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } } };

/** A body is taken as it was sent: in JSON, "12" is not a number (design section 5). */
export const bodyOptions: Joi.ValidationOptions = { ...common, convert: false };
/** A query is text, so numbers are read from it. */
export const queryOptions: Joi.ValidationOptions = { ...common, convert: true };

/** What a schema makes of a value, and every fault at once; one fault alone where there is more than any schema allows. */
export function check<T>(
  schema: Joi.ObjectSchema<T>,
  value: unknown,
  options: Joi.ValidationOptions,
): { value: T; errors: FieldError[] } {
  const { excess, prototypes } = findShapeFaults(value);
  if (excess) return { value: value as T, errors: [excess] };
  const result = schema.validate(value, options);
  const faults = result.error?.details ?? [];
  const errors = faults.map(({ path, message }) => ({ path: path.join('.'), message }));
  return { value: result.value as T, errors: [...errors, ...prototypes] };
}

/** @throws ValidationError naming every fault at once */
export function validate<T>(schema: Joi.ObjectSchema<T>, value: unknown, options: Joi.ValidationOptions): T {
  const checked = check(schema, value, options);
  if (checked.errors.length > 0) throw new ValidationError(checked.errors);
  return checked.value;
}

/** A 24-hexadecimal id, read in any case and kept in lower case, the form in which ids are stored. */
export const id = Joi.string()
  .pattern(/^[0-9a-fA-F]{24}$/)
  .custom((value: string) => value.toLowerCase())
  .messages({ 'string.pattern.base': '{{#label}} must be 24 hexadecimal characters' });

type Surface = { host: string; idCodes?: Record<string, string | undefined> };

/** What a malformed route id answers, by surface (design section 5); of several the first one's code, where it has one. */
export function badRouteId({ host, idCodes = {} }: Surface, names: [string, ...string[]]): AppError {
  if (host === 'ticket') {
    const code = idCodes[names[0]] ?? 'invalid_id';
    return new AppError('invalid', code, `${names.join(', ')} in the path must be 24 hexadecimal characters`);
  }
  return new AppError('not_found', 'not_found', 'there is nothing at this address');
}
