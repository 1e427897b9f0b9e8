import Joi from 'joi';
import { defineEvent } from '../define-event.ts';
import { id, isoDate, text } from '../fields.ts';

/** A view of a ticket; `company_id` is null for a contractor without account, `contractor_id` null for the client's. */
export type ViewSnapshot = {
  id: string;
  role: 'client' | 'contractor';
  company_id: string | null;
  contractor_id: string | null;
  /** `client`, `pending`, `active`, `declined` or `canceled`. */
  state: string;
  status: string;
};

/** `price` is the decimal text as it was sent, without VAT unless `includes_vat`. */
export type QuoteSnapshot = {
  id: string;
  reference: string;
  price: string;
  includes_vat: boolean;
  status: 'pending' | 'validated' | 'declined';
  contractor_id: string;
  validated_at: string | null;
};

/** A ticket as matching needs it, at one version. A removed ticket has the status `removed`. */
export type TicketSnapshot = {
  id: string;
  version: number;
  number: string;
  title: string;
  client_id: string;
  status: string;
  typology_id: string;
  /** Name or number of the maintenance contract; null on other tickets. */
  maintenance: string | null;
  location_ids: string[];
  created_at: string;
  updated_at: string;
  /** Start of the last intervention that took place, or else of the last planned one; null: none. */
  last_intervention_at: string | null;
  views: ViewSnapshot[];
  quotes: QuoteSnapshot[];
};

export const ticketSnapshotSchema = Joi.object<TicketSnapshot, true>({
  id: id.required(),
  version: Joi.number().integer().min(0).required(),
  number: Joi.string().required(),
  title: text.required(),
  client_id: id.required(),
  status: Joi.string().required(),
  typology_id: id.required(),
  maintenance: text.allow(null).required(),
  location_ids: Joi.array<string[]>().items(id).required(),
  created_at: isoDate.required(),
  updated_at: isoDate.required(),
  last_intervention_at: isoDate.allow(null).required(),
  views: Joi.array<ViewSnapshot[]>()
    .items(
      Joi.object<ViewSnapshot, true>({
        id: id.required(),
        role: Joi.string<'client' | 'contractor'>().valid('client', 'contractor').required(),
        company_id: id.allow(null).required(),
        contractor_id: id.allow(null).required(),
        state: Joi.string().required(),
        status: Joi.string().required(),
      }),
    )
    .required(),
  quotes: Joi.array<QuoteSnapshot[]>()
    .items(
      Joi.object<QuoteSnapshot, true>({
        id: id.required(),
        reference: text.required(),
        price: Joi.string().required(),
        includes_vat: Joi.boolean().required(),
        status: Joi.string<QuoteSnapshot['status']>().valid('pending', 'validated', 'declined').required(),
        contractor_id: id.required(),
        validated_at: isoDate.allow(null).required(),
      }),
    )
    .required(),
});

/** A ticket was created or changed. */
export const ticketChanged = defineEvent<{ ticket: TicketSnapshot }>(
  'ticket.changed.v1',
  Joi.object<{ ticket: TicketSnapshot }, true>({ ticket: ticketSnapshotSchema.required() }),
);

/**
 * The ticket was assigned to another contractor, or its contractor was linked to an account. `version` is that of the ticket.
 * `company_id` is null for a contractor without account; both are null if the ticket has no contractor any more.
 */
export type TicketAssigned = {
  ticket_id: string;
  client_id: string;
  version: number;
  contractor_id: string | null;
  company_id: string | null;
};

export const ticketAssigned = defineEvent<TicketAssigned>(
  'ticket.assigned.v1',
  Joi.object<TicketAssigned, true>({
    ticket_id: id.required(),
    client_id: id.required(),
    version: Joi.number().integer().min(0).required(),
    contractor_id: id.allow(null).required(),
    company_id: id.allow(null).required(),
  }),
);

/** A location of a client, as matching needs it. */
export type LocationSnapshot = {
  id: string;
  version: number;
  client_id: string;
  name: string;
  reference: string | null;
  postal_code: string | null;
  facturation_name: string | null;
  deleted: boolean;
  /** The place that it is in, if any. */
  parent_id?: string;
};

export const locationChanged = defineEvent<{ location: LocationSnapshot }>(
  'location.changed.v1',
  Joi.object<{ location: LocationSnapshot }, true>({
    location: Joi.object<LocationSnapshot, true>({
      id: id.required(),
      version: Joi.number().integer().min(0).required(),
      client_id: id.required(),
      name: text.required(),
      reference: text.allow(null).required(),
      postal_code: text.allow(null).required(),
      facturation_name: text.allow(null).required(),
      deleted: Joi.boolean().required(),
      parent_id: id.optional(),
    }).required(),
  }),
);
