import { answer, named } from '@app/http';
import Joi from 'joi';

export const text = Joi.string().allow(null);
/** Free text, which may be empty. */
export const written = Joi.string().allow('', null);
export const date = Joi.string().isoDate().allow(null);
export const reference = named('Reference', { _id: Joi.string(), name: text });
export const nested = named('NestedReference', { _id: Joi.string(), name: text, parent_id: text });
export const authorSchema = named('Author', {
  _id: Joi.string(),
  firstName: text,
  lastName: text,
  email: text,
  company_id: Joi.string(),
});
export const personSchema = named('Person', {
  _id: Joi.string(),
  firstName: written,
  lastName: written,
  email: written,
  phone: written,
});

/** A value of a custom field. */
export const fieldValueSchema = named('FieldValue', {
  field_id: Joi.string(),
  name: answer({ fr: Joi.string(), en: Joi.string() }),
  value: Joi.string().allow(''),
});
const address = named('Address', {
  postalCode: written,
  country: written,
  city: written,
  route: written,
  streetNumber: written,
  fullAddress: written,
  zone: written,
  lat: Joi.number().allow(null),
  lng: Joi.number().allow(null),
}).allow(null);
const billing = named('BillingLocation', { id: Joi.string(), name: text, reference: written, address }).allow(null);
export const locationSchema = named('Location', {
  _id: Joi.string(),
  name: text,
  parent_id: text,
  reference: written,
  address,
  location_facturation: billing,
});
