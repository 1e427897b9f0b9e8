import type { CanonicalInvoice, LifeCycle } from '@app/contracts';
import type { ReplyFields } from '@app/einvoice';

/** UNTDID 1001, for an invoice without a type code. */
const typeCodes: Record<CanonicalInvoice['kind'], string> = { invoice: '380', credit_note: '381', corrective: '384' };
/** Types that a life-cycle message may be about (BR-FR-04). */
const known = new Set('380 389 393 501 386 500 384 471 472 473 261 262 381 396 502 503'.split(' '));

export function typeCodeOf({ kind }: Pick<CanonicalInvoice, 'kind'>, typeCode: string | null): string {
  return typeCode ?? typeCodes[kind];
}

type Reply = ReplyFields & { invoice: CanonicalInvoice };

/** What a life-cycle message about the invoice would lack, besides the supplier's address; null: nothing. */
export function lackOf({ invoice, typeCode }: Omit<Reply, 'sellerAddress'>): LifeCycle['lacks'] {
  if (invoice.supplier.siren === null) return 'supplier_siren';
  if (!invoice.buyer?.siren) return 'buyer_siren';
  return known.has(typeCodeOf(invoice, typeCode)) ? null : 'type_code';
}
