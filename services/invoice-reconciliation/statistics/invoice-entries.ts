import { anywhere, dayOf, type Entry, noDay, toCents } from '@app/service/entries';
import type { HistoryEntry, Invoice } from '../invoices/invoice.ts';
import { linkedStates } from '../invoices/invoice.ts';
import { checks, figures, type matchers, type standings } from '../invoices/invoice-list.ts';
import { signedAmounts } from '../invoices/linked-amounts.ts';
import { hasEnded } from '../invoices/provider-status.ts';
import { codedReason } from '../invoices/reason-code.ts';

/** ISO 4217's code of no currency: the invoice could not be read. */
const noCurrency = 'XXX';

/** `isReplaced`: by a corrective invoice, so that it is owed no more. `places`: of its ticket. */
export type CountedInvoice = { invoice: Invoice; isReplaced: boolean; places: readonly string[] };

/** What an invoice adds to the figures of its client. */
export function invoiceEntries({ invoice, isReplaced, places: ofTicket }: CountedInvoice): Entry[] {
  const { client_id: company, supplier_id, ticket_id, canonical } = invoice;
  const places = ticket_id === null ? [anywhere] : ofTicket;
  const common = { company, places, groups: { supplier: supplier_id === null ? [] : [supplier_id] } };
  const currency = canonical?.currency ?? noCurrency;
  return [
    ...toTreat(invoice),
    ...payable(invoice, isReplaced),
    ...matches(invoice),
    ...toCheck(invoice, isReplaced),
  ].map(({ split, ...own }) => ({ ...common, ...own, split: [...split, currency] }));
}

/** Without the currency, which each is split by. */
type Draft = Omit<Entry, 'company' | 'groups'>;

/** In cents. */
function amountsOf({ canonical }: Invoice): { ht: number; ttc: number } {
  if (canonical === null) return { ht: 0, ttc: 0 };
  const { ht, ttc } = signedAmounts(canonical);
  return { ht: toCents(ht), ttc: toCents(ttc) };
}

function waitsForPerson({ state }: Invoice): boolean {
  return state === 'ticket_unmatched' || state === 'manual_review' || state === 'error';
}

function toTreat(invoice: Invoice): Draft[] {
  if (!waitsForPerson(invoice)) return [];
  const { state, reasons, created_at } = invoice;
  const reason = state === 'error' ? 'step_failed' : codedReason(reasons[0] ?? '').code;
  return [{ figure: figures.toTreat, day: dayOf(created_at), split: [reason], ...amountsOf(invoice) }];
}

function payable(invoice: Invoice, isReplaced: boolean): Draft[] {
  const { canonical } = invoice;
  if (canonical === null || isReplaced || !isInForce(invoice)) return [];
  const { ht, ttc } = amountsOf(invoice);
  const left = leftToPay(invoice, ttc);
  if (left === 0) return [];
  return [
    {
      figure: figures.payable,
      day: canonical.dueDate ?? noDay,
      split: [standingOf(invoice)],
      ht: left === ttc ? ht : Math.round((ht * left) / ttc),
      ttc: left,
    },
  ];
}

/** False once it was ended at the provider, refused, or found to be a copy. */
export function isInForce({ provider_status, conclusion }: Pick<Invoice, 'provider_status' | 'conclusion'>): boolean {
  return !hasEnded(provider_status) && (!conclusion || conclusion.outcome === 'no_ticket');
}

function standingOf(invoice: Invoice): (typeof standings)[number] {
  if (invoice.state === 'manual_review') return 'held';
  return linkedStates.includes(invoice.state) || invoice.ticket_id !== null ? 'placed' : 'waiting';
}

const paidStatus = /^(paid|fully_paid|paid_offline|payment_found|212)$/i;

/** With VAT, in cents: less the payments that the supplier was told of; 0 if it is paid. */
function leftToPay({ provider_status, received_statuses = [], provider_statuses = [] }: Invoice, ttc: number): number {
  if (paidStatus.test(provider_status ?? '') || received_statuses.some(({ status }) => status === '212')) return 0;
  const payments = provider_statuses.filter(
    ({ status, result, taken_back }) => status === 'payment_sent' && result !== 'failed' && !taken_back,
  );
  const paid = payments.reduce((sum, { amount }) => sum + toCents(amount ?? 0), 0);
  return ttc > 0 ? Math.max(0, ttc - paid) : ttc;
}

/** Each time that it came to a ticket: by whom, and whether a person took it off again. */
function matches(invoice: Invoice): Draft[] {
  const { history } = invoice;
  return history.flatMap((entry, index): Draft[] => {
    const by = matcherOf(entry);
    if (by === null) return [];
    const next = history.slice(index + 1).find((later) => matcherOf(later) !== null || isTakenOff(later));
    const outcome = next?.by && (isTakenOff(next) || matcherOf(next) === 'person') ? 'corrected' : 'kept';
    return [{ figure: figures.matched, day: dayOf(entry.at), split: [by, outcome], ...amountsOf(invoice) }];
  });
}

function matcherOf({ to, by }: HistoryEntry): (typeof matchers)[number] | null {
  if (to === 'ticket_matched') return 'machine';
  return to === 'linked' && by ? 'person' : null;
}

function isTakenOff({ from, to }: HistoryEntry): boolean {
  return (to === 'ticket_unmatched' || to === 'manual_review') && from !== null && linkedStates.includes(from);
}

/** Before it is paid. What a person has put on its ticket although it is above the order needs no other look. */
function toCheck(invoice: Invoice, isReplaced: boolean): Draft[] {
  const { state, flags, reasons, history, ticket_id, created_at } = invoice;
  if (payable(invoice, isReplaced).length === 0) return [];
  const placed = ticket_id !== null && history.findLast((entry) => matcherOf(entry) !== null);
  const isHeldFor = (reason: string) => state === 'manual_review' && reasons.includes(reason);
  const found: Record<(typeof checks)[number], boolean> = {
    above_order: flags.includes('over_tolerance') && (!placed || matcherOf(placed) !== 'person'),
    duplicate: isHeldFor('duplicate_suspected'),
    account: isHeldFor('iban_changed'),
  };
  return checks
    .filter((check) => found[check])
    .map((check) => ({
      figure: figures.checks,
      day: dayOf(created_at),
      split: [check],
      ...amountsOf(invoice),
    }));
}
