import { oneOf, subscribableEvents } from '@app/contracts';
import type { AddressPolicy } from '@app/runtime/ssrf-guard';
import Joi from 'joi';
import { type CustomHeader, headerLimits, isReserved, lengthOf, repeatsName } from './custom-header.ts';
import type { EndpointInput } from './endpoint.ts';

const maxUrlLength = 2048;

export type EndpointFields = Record<keyof EndpointInput | 'headers', Joi.Schema>;

/** The fields that a caller writes. */
export function endpointFields(policy: AddressPolicy): EndpointFields {
  return {
    name: Joi.string().trim().min(1).max(100).description('to tell it from the others'),
    url: Joi.string().max(maxUrlLength).custom(publicUrl(policy)).description('HTTPS, public host'),
    events: Joi.array().items(oneOf(subscribableEvents)).min(1).max(subscribableEvents.length).unique(),
    headers: customHeaders,
  };
}

/** A header name by RFC 9110 that the platform does not use. */
const headerName = Joi.string()
  .max(headerLimits.name)
  .pattern(/^[\w!#$%&'*+.^`|~-]+$/)
  .custom((name: string, helpers) => (isReserved(name) ? helpers.error('any.invalid') : name))
  .messages({
    'string.pattern.base': '{{#label}} must be the name of a header',
    'any.invalid': '{{#label}} is a header that cannot be set',
  });

/** No error message contains the value: it may be a secret. */
const headerValue = Joi.string()
  .trim()
  .max(headerLimits.value)
  .pattern(/^[ -~]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be visible ASCII characters' });

const customHeaders = Joi.array()
  .items(Joi.object<CustomHeader>({ name: headerName.required(), value: headerValue.required() }))
  .max(headerLimits.count)
  .custom((headers: unknown[], helpers) => {
    // Joi calls this even if an item is invalid; that has an error of its own.
    const read = headers.filter(isHeader);
    if (repeatsName(read)) return helpers.error('array.names');
    return lengthOf(read) <= headerLimits.total ? headers : helpers.error('array.total');
  })
  .messages({
    'array.names': '{{#label}} must not have a name twice',
    'array.total': `{{#label}} must have at most ${headerLimits.total} characters in all names and values`,
  })
  .description('replaces all; their values are stored encrypted and never shown');

function isHeader(item: unknown): item is CustomHeader {
  const { name, value } = (item ?? {}) as Partial<CustomHeader>;
  return typeof name === 'string' && typeof value === 'string';
}

function publicUrl(policy: AddressPolicy): Joi.CustomValidator<string> {
  return (url, helpers) => {
    const fault = policy.violation(url);
    if (fault !== null) return helpers.message({ custom: `{{#label}} ${fault}` });
    // Stored in normal form, so that all code reads it in the same way. If the text is too long
    // itself, its own rule says so.
    const { href } = new URL(url);
    const isLonger = href.length > maxUrlLength && url.length <= maxUrlLength;
    return isLonger ? helpers.error('string.max', { limit: maxUrlLength }) : href;
  };
}
