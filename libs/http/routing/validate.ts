import { AppError, type FieldError, ValidationError } from '@app/kernel';
import Joi from 'joi';
import { checkShape } from '../errors/field-errors.ts';

const common: Joi.ValidationOptions = {
  abortEarly: false,
  errors: { wrap: { label: false } },
  // Of empty text Joi says that it “is not allowed to be empty”, of an empty list that it “must contain at least 1 items”.
  messages: {
    'string.empty': '{{#label}} must not be empty',
    'array.min': '{{#label}} must contain at least {{#limit}} {if(#limit == 1, "item", "items")}',
  },
};

/** No conversion: in JSON, "12" is not a number. */
export const bodyOptions: Joi.ValidationOptions = { ...common, convert: false };
/** With conversion, since a query is text. */
export const queryOptions: Joi.ValidationOptions = { ...common, convert: true };

/** Validates a value, and returns all errors at once; or one alone if it is larger than any schema allows. */
export function check<T>(
  schema: Joi.ObjectSchema<T>,
  value: unknown,
  options: Joi.ValidationOptions,
): { value: T; errors: FieldError[] } {
  const { excess, prototypes } = checkShape(value);
  if (excess) return { value: value as T, errors: [excess] };
  const result = schema.validate(value, options);
  const details = result.error?.details ?? [];
  const errors = details.map((detail) => ({ path: detail.path.join('.'), message: messageOf(detail, schema) }));
  return { value: result.value as T, errors: [...errors, ...prototypes] };
}

/** Of an empty body Joi says that “value must have at least 1 key”, and not which. */
function messageOf({ type, path, message }: Joi.ValidationErrorItem, schema: Joi.ObjectSchema): string {
  if (type !== 'object.min' || path.length > 0) return message;
  return `give at least one of ${Object.keys(schema.describe()['keys'] ?? {}).join(', ')}`;
}

/** @throws ValidationError with all errors at once */
export function validate<T>(schema: Joi.ObjectSchema<T>, value: unknown, options: Joi.ValidationOptions): T {
  const checked = check(schema, value, options);
  if (checked.errors.length > 0) throw new ValidationError(checked.errors);
  return checked.value;
}

/**
 * Express reads escaped bytes that are not UTF-8 as U+FFFD in a query, where it refuses them in a path. A `%` alone is text.
 * @throws AppError invalid `invalid_url`
 */
export function assertReadableQuery(url: string): void {
  try {
    for (const [escaped] of url.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(escaped);
  } catch (cause) {
    throw new AppError('invalid', 'invalid_url', 'what is escaped in the address is not UTF-8', { cause });
  }
}

/** An id of 24 hexadecimal digits, converted to lower case, in which ids are stored. */
export const id = Joi.string()
  .pattern(/^[0-9a-fA-F]{24}$/)
  .custom((value: string) => value.toLowerCase())
  .messages({ 'string.pattern.base': '{{#label}} must be 24 hexadecimal characters' });

/** The parameters of a path with an id. */
export const byId = Joi.object<{ id: string }>({ id: id.required() });

type Surface = { host: string; idCodes?: Record<string, string | undefined> };

/** The error of a malformed id in a path: 400 on the ticket API, with the code of the first id; 404 elsewhere. */
export function badRouteId({ host, idCodes = {} }: Surface, names: [string, ...string[]]): AppError {
  if (host === 'ticket') {
    const code = idCodes[names[0]] ?? 'invalid_id';
    return new AppError('invalid', code, `${names.join(', ')} in the path must be 24 hexadecimal characters`);
  }
  return new AppError('not_found', 'not_found', 'there is nothing at this address');
}
