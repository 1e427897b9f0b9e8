import { answer, freeText, named, nullableString } from '@app/http';
import Joi from 'joi';

export const date = Joi.string().isoDate().allow(null);
export const reference = named('Reference', { _id: Joi.string(), name: nullableString });
export const nested = named('NestedReference', { _id: Joi.string(), name: nullableString, parent_id: nullableString });
export const authorSchema = named('Author', {
  _id: Joi.string(),
  firstName: nullableString,
  lastName: nullableString,
  email: nullableString,
  company_id: Joi.string(),
});
export const personSchema = named('Person', {
  _id: Joi.string(),
  firstName: freeText,
  lastName: freeText,
  email: freeText,
  phone: freeText,
});

/** A value of a custom field. */
export const fieldValueSchema = named('FieldValue', {
  field_id: Joi.string(),
  name: answer({ fr: Joi.string(), en: Joi.string() }),
  value: Joi.string().allow(''),
});
const address = named('Address', {
  postalCode: freeText,
  country: freeText,
  city: freeText,
  route: freeText,
  streetNumber: freeText,
  fullAddress: freeText,
  zone: freeText,
  lat: Joi.number().allow(null),
  lng: Joi.number().allow(null),
}).allow(null);
const billing = named('BillingLocation', {
  id: Joi.string(),
  name: nullableString,
  reference: freeText,
  address,
}).allow(null);
export const locationFields = {
  _id: Joi.string(),
  name: nullableString,
  parent_id: nullableString,
  reference: freeText,
  address,
  location_facturation: billing,
};
export const locationSchema = named('Location', locationFields);
