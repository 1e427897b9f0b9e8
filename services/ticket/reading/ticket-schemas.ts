import { purchaseKinds } from '@app/contracts';
import Joi from 'joi';

const text = Joi.string().allow(null);
/** Free text, which may be empty. */
const written = Joi.string().allow('', null);
const date = Joi.string().isoDate().allow(null);
const named = Joi.object({ _id: Joi.string(), name: text });
const nested = Joi.object({ _id: Joi.string(), name: text, parent_id: text });
const person = Joi.object({ _id: Joi.string(), firstName: text, lastName: text, email: text, phone: text });
const user = Joi.object({ _id: Joi.string(), firstName: text, lastName: text, email: text, company_id: Joi.string() });
const address = Joi.object({
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
const billing = Joi.object({ id: Joi.string(), name: text, reference: written, address }).allow(null);
const location = Joi.object({
  _id: Joi.string(),
  name: text,
  parent_id: text,
  reference: written,
  address,
  location_facturation: billing,
});

export const quoteSchema = Joi.object({
  _id: Joi.string(),
  reference: Joi.string(),
  price: Joi.string(),
  status: Joi.string().valid('pending', 'validated', 'declined'),
  validated: Joi.boolean(),
  validated_at: date,
  contractor_id: Joi.string(),
  added_at: date,
  s3_key: text,
  download_url: text.description('on the read of one ticket'),
});

export const reportSchema = Joi.object({
  _id: Joi.string(),
  name: Joi.string(),
  mimetype: Joi.string(),
  size: Joi.number(),
  hash: Joi.string(),
  contractor_id: text,
  added_at: date,
  s3_key: Joi.string(),
});

const purchaseSchema = Joi.object({
  _id: Joi.string(),
  ticket_id: Joi.string(),
  kind: Joi.string().valid(...purchaseKinds),
  buyer_company_id: Joi.string(),
  supplier_company_id: text,
  reference: Joi.string(),
  source_system: text,
  quote_id: text,
  purchase_order_id: text,
  date: Joi.string().isoDate(),
  amount: Joi.number().allow(null),
  document_id: text,
  from_api: Joi.boolean(),
  created_at: date,
  updated_at: date,
  created_by: Joi.string(),
  updated_by: Joi.string(),
  editable: Joi.boolean(),
  source: Joi.string().valid('api', 'app'),
  s3_key: text,
});

const invoiceSchema = Joi.object({
  _id: Joi.string(),
  reference: Joi.string(),
  price: Joi.string(),
  invoice_id: Joi.string(),
  supplier: Joi.object({ name: text, siren: text, siret: text }),
  amounts: Joi.object({ ht: Joi.number(), tva: Joi.number(), ttc: Joi.number() }),
});

/** A ticket in a reply, for the API documentation. */
export const ticketReply = Joi.object({
  _id: Joi.string(),
  id: Joi.string(),
  number: Joi.string(),
  url: Joi.string(),
  status: Joi.string(),
  title: Joi.string(),
  description: written,
  priority_label: Joi.string(),
  price_threshold: Joi.number().allow(null),
  from_public_interface: Joi.boolean(),
  reserve: Joi.boolean().allow(null),
  typology: named,
  created_at: date,
  updated_at: date,
  assigned_at: date,
  closed_at: date,
  intervention_scheduled_at: Joi.array().items(date),
  intervention_occured_at: Joi.array().items(date),
  created_by: user.allow(null).description('null to a contractor where another contractor created the ticket'),
  validated_by: user.allow(null),
  maintenance: text.description('on maintenance tickets'),
  start_date: date,
  end_date: date,
  client: named,
  contractors: Joi.array().items(Joi.object({ _id: Joi.string(), name: text, type: text })),
  locations: Joi.array().items(location),
  equipments: Joi.array().items(nested),
  jobs: Joi.array().items(named),
  domains: Joi.array().items(nested),
  managers: Joi.array().items(person),
  contacts: Joi.array().items(person),
  fields: Joi.array().items(
    Joi.object({ field_id: Joi.string(), name: Joi.object({ fr: text, en: text }), value: written }),
  ),
  quotes: Joi.array().items(quoteSchema),
  invoices: Joi.array().items(invoiceSchema),
  purchases: Joi.array().items(purchaseSchema),
  reports: Joi.array().items(reportSchema),
  views: Joi.array().items(
    Joi.object({
      _id: Joi.string(),
      company_id: text,
      role: Joi.string().valid('client', 'contractor'),
      status: Joi.string(),
    }),
  ),
}).label('Ticket');

export const pageReply = Joi.object({ cursor: text, tickets: Joi.array().items(ticketReply) });
