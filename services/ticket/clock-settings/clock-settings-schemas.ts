import { oneOf } from '@app/contracts';
import { answer, day, id, named, timeZone } from '@app/http';
import Joi from 'joi';
import type { PlaceHours, Policy } from '../clocks/policies.ts';
import { priorities } from '../tickets/ticket.ts';
import { typologyId } from '../tickets/ticket-route-base.ts';

const targetFields = {
  amount: Joi.number().integer().min(1).max(2_000).required(),
  unit: Joi.string().valid('hours', 'days').required(),
};
const target = Joi.object(targetFields).allow(null).default(null);
/** A target in a reply. */
export const targetReply = answer(targetFields).allow(null);

const policy = Joi.object<Policy>({
  priority: oneOf(priorities).required(),
  location_id: id.allow(null).default(null).description('this place and all below it; null: all'),
  domain_id: id.allow(null).default(null),
  typology_id: typologyId.allow(null).default(null),
  response: target.description('until a contractor accepts or quotes, or a date is planned'),
  arrival: target.description('until the first visit or work begins'),
  finish: target.description('until the ticket is finished'),
  warn_percent: Joi.number()
    .integer()
    .min(1)
    .max(99)
    .default(75)
    .description('a warning comes when this much of the time has passed; another one at its end'),
});
const scope = ({ priority, location_id, domain_id, typology_id }: Policy) =>
  [priority, location_id ?? null, domain_id ?? null, typology_id ?? null].join();

const opening = Joi.object({
  day: Joi.number().integer().min(1).max(7).required().description('1 is Monday, 7 Sunday'),
  from: Joi.string()
    .pattern(/^([01]\d|2[0-3]):[0-5]\d$/)
    .required(),
  to: Joi.string()
    .pattern(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/)
    .required(),
})
  .custom((value: Opening, helpers) =>
    value.from < value.to ? value : helpers.message({ custom: '{{#label}} must end after it begins' }),
  )
  .messages({ 'string.pattern.base': '{{#label}} must be a time, HH:MM' });

type Opening = PlaceHours['openings'][number];
const overlap = (one: Opening, other: Opening) => one.day === other.day && one.from < other.to && other.from < one.to;

const hoursFields = {
  time_zone: timeZone.required().description('of the IANA database: `Europe/Paris`'),
  openings: Joi.array()
    .min(1)
    .max(70)
    .items(opening)
    .unique(overlap)
    .required()
    .messages({ 'array.unique': '{{#label}} overlaps another one' }),
  holidays: Joi.string()
    .valid('FR')
    .allow(null)
    .default(null)
    .description('`FR`: the public holidays of all of France'),
  closed: Joi.array().max(400).unique().items(day).default([]).description('further days without work'),
};
const placeHours = Joi.object<PlaceHours>({
  location_id: id.allow(null).default(null).description('this place and all below it; null: all that have no own'),
  ...hoursFields,
});
/** Hours in a reply. */
export const hoursReply = named('Hours', hoursFields);

export const settingsFields = {
  policies: Joi.array()
    .max(200)
    .items(policy)
    .unique((one: Policy, other: Policy) => scope(one) === scope(other))
    .required()
    .messages({ 'array.unique': '{{#label}} is for the same tickets as another one' }),
  hours: Joi.array()
    .max(200)
    .items(placeHours)
    .unique((one: PlaceHours, other: PlaceHours) => (one.location_id ?? null) === (other.location_id ?? null))
    .required()
    .messages({ 'array.unique': '{{#label}} is for the same place as another one' }),
};
