import { type PurchaseKind, purchaseKinds } from '@app/contracts';
import Joi from 'joi';

/** Half a surrogate pair can't be stored as it was sent: two such texts could become the same. */
function wellFormed(value: string, helpers: Joi.CustomHelpers): unknown {
  return value.isWellFormed() ? value : helpers.message({ custom: '{{#label}} holds half a character' });
}

/** An ISO date as a string; without a zone it is UTC. Gives a Date. */
const date = Joi.string()
  .isoDate()
  .max(40)
  .custom((value: string, helpers) => {
    const read = new Date(/T[\d:.,]+$/.test(value) ? `${value}Z` : value);
    return Number.isNaN(read.getTime()) || !isOnCalendar(value) ? helpers.error('string.isoDate') : read;
  })
  .prefs({ abortEarly: true });

/** False for a day that no month has: JavaScript makes 31 February the 3rd of March. */
function isOnCalendar(value: string): boolean {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(value)?.[0];
  return day === undefined || new Date(day).toISOString().startsWith(day);
}

/** Any text: what is no id of the right thing has a code of its own (spec section 7). */
const linked = Joi.string()
  .max(100)
  .allow(null)
  .custom((value: string | null) => value?.toLowerCase() ?? null);

/** The fields that a buyer writes, with their bounds (spec section 8). */
export const purchaseFields = {
  kind: Joi.string<PurchaseKind>().valid(...purchaseKinds),
  reference: Joi.string()
    .custom((value: string) => value.trim())
    .min(1)
    .max(100)
    .custom(wellFormed)
    .description('unique per kind among your live documents on the ticket'),
  source_system: Joi.string().max(50).allow(null).custom(wellFormed),
  quote_id: linked.description('of a quote of the ticket'),
  purchase_order_id: linked.description('of one of your purchase orders on the ticket; goods receipts only'),
  date,
  amount: Joi.number().min(0).max(1_000_000_000).allow(null),
};
