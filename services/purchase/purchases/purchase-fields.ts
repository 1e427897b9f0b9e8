import { oneOf, purchaseKinds } from '@app/contracts';
import { isoDate } from '@app/http';
import Joi from 'joi';

/** Limits the length of a text as JSON Schema does: an emoji is one character, although JavaScript counts two. */
const characters = {
  args: ['limit'],
  method(this: Joi.StringSchema, limit: number) {
    return this.$_addRule({ name: 'characters', args: { limit } });
  },
  validate(value: string, helpers: Joi.CustomHelpers, { limit }: Record<string, number>) {
    return [...value].length <= Number(limit) ? value : helpers.error('string.max', { limit });
  },
  jsonSchema: ({ args }: { args: { limit: number } }, schema: object) => ({ ...schema, maxLength: args.limit }),
};
type Text = Joi.StringSchema & { characters(limit: number): Joi.StringSchema };
const unicode = Joi.extend({ type: 'string', base: Joi.string(), rules: { characters } }) as { string(): Text };

/** Any text: an unknown id has an error code of its own, checked later. */
const linked = Joi.string()
  .allow(null, '')
  .custom((value: string | null) => value?.toLowerCase() ?? null);

/** The fields that a buyer writes. */
export const purchaseFields = {
  kind: oneOf(purchaseKinds),
  reference: unicode
    .string()
    .custom((value: string) => value.trim())
    .min(1)
    .characters(100)
    .description('unique per kind among your live documents on the ticket'),
  source_system: unicode.string().characters(50).allow(null),
  quote_id: linked.description('of a quote of the ticket'),
  purchase_order_id: linked.description('of one of your purchase orders on the ticket; goods receipts only'),
  date: isoDate,
  amount: Joi.number().min(0).max(1_000_000_000).allow(null).description('without VAT, unless `includes_vat`'),
  includes_vat: Joi.boolean().description('whether `amount` is with VAT'),
};
