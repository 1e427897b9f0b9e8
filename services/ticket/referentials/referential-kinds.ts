import { day, freeText, id, named, nullableString } from '@app/http';
import Joi from 'joi';
import { locationFields } from '../http/answer-schemas.ts';
import { title } from '../http/joi-fields.ts';
import type { FieldName, ReferentialInput, ReferentialKind } from './referential.ts';

/** What differs between the routes of the five kinds. */
export type KindRow = {
  kind: ReferentialKind;
  /** Last segment of the path; `one` and `many` are the keys of one and of a list in replies. */
  path: string;
  one: string;
  many: string;
  tag: string;
  body: Joi.SchemaMap<ReferentialInput>;
  view: Joi.ObjectSchema;
  /** Whether an entry has a photo. */
  isPictured?: true;
};

const upTo = (max: number) => freeText.max(max);
const parentId = id.allow(null).description('another of the same kind, above this one');

const address = Joi.object({
  postalCode: upTo(20),
  country: upTo(100),
  city: upTo(200),
  route: upTo(200),
  streetNumber: upTo(50),
  fullAddress: upTo(500),
  zone: upTo(100),
  lat: Joi.number().min(-90).max(90).allow(null),
  lng: Joi.number().min(-180).max(180).allow(null),
})
  .allow(null)
  .description('replaced whole by a change');
const fieldName = Joi.object<FieldName>({ fr: title.required(), en: title.required() });

const dayOrNone = day.allow(null);
const equipmentFacts = {
  location_id: id.allow(null).description('the location where it is'),
  serial_number: upTo(100),
  make: upTo(200).description('who made it, and which model'),
  in_service_since: dayOrNone,
  warranty_until: dayOrNone.description('the last day of its warranty'),
};
const photo = named('Photo', {
  name: Joi.string(),
  mimetype: Joi.string(),
  size: Joi.number(),
  s3_key: Joi.string(),
}).allow(null);

const nested = { _id: Joi.string(), name: Joi.string(), parent_id: Joi.string().allow(null) };

export const kinds: KindRow[] = [
  {
    kind: 'location',
    path: 'locations',
    one: 'location',
    many: 'locations',
    tag: 'Locations',
    body: {
      name: title,
      parent_id: parentId,
      reference: upTo(200),
      address,
      location_facturation_id: id.allow(null).description('the location that is invoiced for this one'),
    },
    view: named('Place', { ...locationFields, photo }),
    isPictured: true,
  },
  {
    kind: 'equipment',
    path: 'equipments',
    one: 'equipment',
    many: 'equipments',
    tag: 'Equipments',
    body: { name: title, parent_id: parentId, ...equipmentFacts },
    view: named('Equipment', {
      ...nested,
      location_id: nullableString,
      serial_number: freeText,
      make: freeText,
      in_service_since: nullableString.description('a day'),
      warranty_until: nullableString.description('a day'),
      photo,
    }),
    isPictured: true,
  },
  {
    kind: 'job',
    path: 'jobs',
    one: 'job',
    many: 'jobs',
    tag: 'Jobs',
    body: { name: title },
    view: named('Job', { _id: Joi.string(), name: Joi.string() }),
  },
  {
    kind: 'domain',
    path: 'domains',
    one: 'domain',
    many: 'domains',
    tag: 'Domains',
    body: { name: title, parent_id: parentId },
    view: named('Domain', nested),
  },
  {
    kind: 'custom_field',
    path: 'custom-fields',
    one: 'custom_field',
    many: 'custom_fields',
    tag: 'Custom fields',
    body: {
      name: fieldName,
      target: Joi.valid('ticket', 'contractor', null).description('what it is for; null: for both'),
    },
    view: named('CustomField', {
      _id: Joi.string(),
      name: fieldName,
      target: Joi.string().valid('ticket', 'contractor').allow(null),
    }),
  },
];
