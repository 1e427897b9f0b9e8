import type { CanonicalInvoice } from '@app/contracts';
import { type Random, shuffled } from '@app/demo';
import type { Dataset, DatasetTicket } from './dataset.ts';
import {
  asQuoteReference,
  asTicketReference,
  createInvoice,
  inFreeText,
  inOrderField,
  issueDay,
  type ReferenceText,
  withoutReference,
} from './generated-invoice.ts';
import { asSentence, mistyped, rewritten } from './mutations.ts';

/**
 * An invoice with the tickets that it is for; with several or none it has no single right ticket. The category `nothing to
 * go on` has one that nobody could find: no reference, and no amount on the ticket or an unknown supplier.
 */
export type GeneratedInvoice = {
  category: Category | typeof unmatchable;
  invoice: CanonicalInvoice;
  tickets: string[];
};

export const unmatchable = 'nothing to go on';
const weights = {
  'order as it is': 17,
  'order rewritten': 20,
  'order mistyped': 8,
  'ticket number': 7,
  'quote reference': 6,
  'several in one field': 6,
  'in a sentence': 10,
  'deposit and balance': 7,
  'another amount': 6,
  'no reference': 11,
  'several tickets': 3,
  'supplier unknown': 4,
  'invoiced already': 3,
  'no right ticket': 8,
} as const;
type Category = keyof typeof weights;
export const categories = [...(Object.keys(weights) as Category[]), unmatchable] as const;

/** Generates `count` invoices for the tickets of a dataset; those of one ticket in the order of issue. */
export function generateInvoices(random: Random, dataset: Dataset, count: number): GeneratedInvoice[] {
  const works = dataset.tickets.filter(({ ticket }) => ticket.status !== 'canceled');
  const left = shuffled(works, random);
  const generated: GeneratedInvoice[] = [];
  while (generated.length < count) {
    // Once no ticket is left to invoice, further invoices have no right ticket.
    const category = left.length < 3 ? 'no right ticket' : random.weighted(weights);
    const work = category === 'no right ticket' ? random.one(works) : (left.pop() as DatasetTicket);
    generated.push(...generateFor({ random, dataset, work, more: left }, category));
  }
  return generated.slice(0, count);
}

type Generation = { random: Random; dataset: Dataset; work: DatasetTicket; more: DatasetTicket[] };

function generateFor({ random, dataset, work, more }: Generation, category: Category): GeneratedInvoice[] {
  const one: MakeOne = (mention, amount = work.price, of = [work]) => {
    const notBefore =
      of
        .map(({ ticket }) => ticket.created_at.slice(0, 10))
        .sort()
        .at(-1) ?? '';
    const invoice = createInvoice(random, { work, mention, amount, notBefore });
    const isUnmatchable = of.length > 0 && !mention.hasReference && !isKnown(work, amount);
    return { category: isUnmatchable ? unmatchable : category, invoice, tickets: of.map(({ ticket }) => ticket.id) };
  };
  const order = orderOf(random, work);
  const day = issueDay(random, work);
  const byCategory: Record<Category, () => GeneratedInvoice[]> = {
    'order as it is': () => [one(inOrderField(order))],
    'order rewritten': () => [one(inOrderField(rewritten(random, order)))],
    'order mistyped': () => [
      one(inOrderField(random.chance(0.5) ? mistyped(random, order) : rewritten(random, mistyped(random, order)))),
    ],
    'ticket number': () => [
      one(asTicketReference(random, random.chance(0.5) ? work.ticket.number : rewritten(random, work.ticket.number))),
    ],
    'quote reference': () => [one(asQuoteReference(random, quoteOf(random, work)))],
    'several in one field': () => [one(inOrderField(severalOf(random, work)))],
    'in a sentence': () => [
      one(inFreeText(random, asSentence(random, random.chance(0.5) ? order : rewritten(random, order), day))),
    ],
    'deposit and balance': () => {
      const deposit = Math.round(work.price * random.one([0.3, 0.4, 0.5]) * 100) / 100;
      const mention = () => (random.chance(0.75) ? inOrderField(rewritten(random, order)) : withoutReference(random));
      return [one(mention(), deposit), one(mention(), Math.round((work.price - deposit) * 100) / 100)];
    },
    'another amount': () => [
      one(inOrderField(rewritten(random, order)), Math.round(work.price * (0.7 + random.next() * 0.6) * 100) / 100),
    ],
    'no reference': () => [one(withoutReference(random))],
    'several tickets': () => [invoiceForSeveralTickets({ random, dataset, work, more }, one)],
    'supplier unknown': () => [
      random.chance(0.8)
        ? withForeignSupplier(random, one(inOrderField(rewritten(random, order))))
        : { ...withForeignSupplier(random, one(withoutReference(random))), category: unmatchable },
    ],
    'invoiced already': () => [
      { ...one(inOrderField(order)), category: 'order as it is' },
      one(random.chance(0.5) ? inOrderField(order) : withoutReference(random), work.price, []),
    ],
    'no right ticket': () => [invoiceWithoutTicket({ random, dataset, work, more }, one)],
  };
  return byCategory[category]();
}

/** `of`: the tickets that the invoice is for; by default the one at hand. */
type MakeOne = (mention: ReferenceText, amount?: number, of?: DatasetTicket[]) => GeneratedInvoice;

/** The client knows the supplier, and the amount stands on the ticket. */
function isKnown({ company, purchases, ticket, price }: DatasetTicket, amount: number): boolean {
  const orders = purchases.filter(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  const hasAmount = orders.length > 0 ? orders.every((one) => one.amount !== null) : ticket.quotes.length > 0;
  return company.siret !== null && hasAmount && amount === price;
}

function invoiceForSeveralTickets({ random, work, more }: Generation, one: MakeOne): GeneratedInvoice {
  const others = more.filter(({ company }) => company === work.company).slice(0, random.whole(1, 2));
  for (const other of others) more.splice(more.indexOf(other), 1);
  const works = [work, ...others];
  const text = works.map((each) => orderOf(random, each)).join(random.one([', ', ' / ', ' ; ', ' + ', ' et ']));
  const amount = works.reduce((sum, { price }) => sum + price, 0);
  const generated = one(inOrderField(text), Math.round(amount * 100) / 100, works);
  return others.length > 0 ? generated : { ...generated, category: 'order rewritten' };
}

/** Work without a ticket or with a canceled one; its order may belong to another system. */
function invoiceWithoutTicket({ random, dataset, work }: Generation, one: MakeOne): GeneratedInvoice {
  const canceled = random.one(dataset.tickets.filter(({ ticket }) => ticket.status === 'canceled'));
  const mention = {
    nothing: () => withoutReference(random),
    elsewhere: () => inOrderField(unknownReference(random, dataset, orderOf(random, work))),
    text: () => inFreeText(random, asSentence(random, String(random.whole(100, 99_999)), issueDay(random, work))),
    canceled: () => inOrderField(orderOf(random, canceled)),
  }[random.weighted({ nothing: 4, elsewhere: 2, text: 2, canceled: 1 })]();
  const amount = random.chance(0.3)
    ? random.one(work.company.fees)
    : Math.round((60 + random.next() * 2000) * 100) / 100;
  return one(mention, amount, []);
}

/** A number of the same form that the client does not know. */
function unknownReference(random: Random, dataset: Dataset, like: string): string {
  const held = new Set(
    dataset.tickets.flatMap(({ ticket, purchases }) => [
      ticket.number,
      ...ticket.quotes.map(({ reference }) => reference),
      ...purchases.map(({ reference }) => reference),
    ]),
  );
  let number = like;
  while (number === like || held.has(number))
    number = like.replace(/\d{3,}$/, (run) => String(random.whole(1, 10 ** run.length - 1)).padStart(run.length, '0'));
  return number;
}

function withForeignSupplier(random: Random, generated: GeneratedInvoice): GeneratedInvoice {
  const vatNumber = `BE0${random.whole(100_000_000, 999_999_999)}`;
  const supplier = { externalId: 'x1', name: 'Werken NV', siret: null, siren: null, vatNumber, accounts: [] };
  return { ...generated, invoice: { ...generated.invoice, supplier } };
}

function orderOf(random: Random, { purchases, ticket }: DatasetTicket): string {
  const orders = purchases.filter(({ kind }) => kind === 'purchase_order');
  return orders.length > 0 ? random.one(orders).reference : (ticket.quotes.at(-1)?.reference ?? ticket.number);
}

function quoteOf(random: Random, work: DatasetTicket): string {
  return work.ticket.quotes.at(-1)?.reference ?? orderOf(random, work);
}

function severalOf(random: Random, work: DatasetTicket): string {
  const own = `CL${random.whole(1000, 9999)}`;
  const { purchases, ticket } = work;
  const others = [ticket.number, quoteOf(random, work), own, ...purchases.map(({ reference }) => reference)];
  return [rewritten(random, orderOf(random, work)), random.one(others)].join(
    random.one([', ', ' / ', ' ', ' ; ', ' - ']),
  );
}
