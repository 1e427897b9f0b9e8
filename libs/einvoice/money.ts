import type { CanonicalInvoice } from '@app/contracts';
import { parseDecimal, percentToFraction, subtract, toAmount, toNumber } from './decimal.ts';
import type { Amount, DocumentFields } from './document-fields.ts';
import { unmappable } from './errors.ts';
import type { OptionalFields } from './optional-fields.ts';

/**
 * The totals in the document's currency: BT-109, BT-110 (if absent, the difference of the other two) and BT-112. The amount
 * due is not read: it lacks what was paid before.
 */
export function readAmounts(
  totals: DocumentFields['totals'],
  currency: string,
  optional: OptionalFields,
): CanonicalInvoice['amounts'] {
  const names = {
    ht: 'the total without VAT (BT-109)',
    tva: 'the total of VAT (BT-110)',
    ttc: 'the total with VAT (BT-112)',
  };
  const total = (which: keyof typeof names) => {
    const found = inCurrency(totals[which], currency);
    return found === null ? null : parseDecimal(found.text, names[which]);
  };
  const ht = total('ht') ?? missing(names.ht, currency);
  const ttc = total('ttc') ?? missing(names.ttc, currency);
  const tva = optional.read(() => total('tva')) ?? subtract(ttc, ht);
  return { ht: toAmount(ht, names.ht), tva: toAmount(tva, names.tva), ttc: toAmount(ttc, names.ttc) };
}

/** The VAT groups in the document's currency. Groups without base and VAT are left out; a missing rate is 0, an exemption. */
export function readBreakdown(
  groups: DocumentFields['vatBreakdown'],
  currency: string,
  optional: OptionalFields,
): CanonicalInvoice['vatBreakdown'] {
  return groups.flatMap((group, index) => {
    const where = (what: string) => `${what} of VAT group ${index + 1}`;
    const base = inCurrency(group.base, currency);
    const amount = inCurrency(group.amount, currency);
    if (base === null && amount === null) return [];
    const money = (found: Amount | null, what: string) =>
      toAmount(parseDecimal(found?.text ?? '0', where(what)), where(what));
    const read = optional.read(() => ({
      rate: toNumber(percentToFraction(parseDecimal(group.percent ?? '0', where('the rate (BT-119)')))),
      base: money(base, 'the base (BT-116)'),
      amount: money(amount, 'the VAT (BT-117)'),
    }));
    return read ?? [];
  });
}

/** The amount in a currency, else the one without a currency; null if all are in other currencies. */
function inCurrency(amounts: Amount[], currency: string): Amount | null {
  return (
    amounts.find((amount) => amount.currency === currency) ?? amounts.find((amount) => amount.currency === null) ?? null
  );
}

function missing(what: string, currency: string): never {
  throw unmappable(`${what} in ${currency} is missing`);
}
