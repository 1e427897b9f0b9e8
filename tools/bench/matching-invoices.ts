import type { CanonicalInvoice } from '@app/contracts';
import { inASentence, mistyped, rewritten } from './matching-mutations.ts';
import {
  asQuote,
  asTicket,
  inField,
  inText,
  invoiceOf,
  issueDay,
  type Said,
  withoutReference,
} from './matching-paper.ts';
import type { Random } from './matching-random.ts';
import type { Work, World } from './matching-world.ts';

/**
 * An invoice with the tickets that it is for, best known to whoever made it; several or none: it has no right ticket.
 * In the category `nothing to go on` it has one that nobody could tell from what the client knows: no reference, and no
 * amount on the ticket, or a supplier of whom nothing is known.
 */
export type Drawn = { category: Category | typeof hopeless; invoice: CanonicalInvoice; tickets: string[] };

export const hopeless = 'nothing to go on';
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
export const categories = [...(Object.keys(weights) as Category[]), hopeless] as const;

/** Invoices for the tickets of a world, each ticket's in the order of their issue. */
export function drawInvoices(random: Random, world: World, count: number): Drawn[] {
  const works = world.tickets.filter(({ ticket }) => ticket.status !== 'canceled');
  const shuffled = works.map((work) => ({ work, at: random.next() })).sort((one, other) => one.at - other.at);
  const left = shuffled.map(({ work }) => work);
  const drawn: Drawn[] = [];
  while (drawn.length < count) {
    // With no ticket left to invoice, what comes has no right one.
    const category = left.length < 3 ? 'no right ticket' : random.weighted(weights);
    const work = category === 'no right ticket' ? random.one(works) : (left.pop() as Work);
    drawn.push(...draw({ random, world, work, more: left }, category));
  }
  return drawn.slice(0, count);
}

type Draw = { random: Random; world: World; work: Work; more: Work[] };

function draw({ random, world, work, more }: Draw, category: Category): Drawn[] {
  const one: MakeOne = (said, amount = work.price, of = [work]) => {
    const notBefore =
      of
        .map(({ ticket }) => ticket.created_at.slice(0, 10))
        .sort()
        .at(-1) ?? '';
    const invoice = invoiceOf(random, { work, said, amount, notBefore });
    const isHopeless = of.length > 0 && !said.names && !isKnown(work, amount);
    return { category: isHopeless ? hopeless : category, invoice, tickets: of.map(({ ticket }) => ticket.id) };
  };
  const order = orderOf(random, work);
  const day = issueDay(random, work);
  const byCategory: Record<Category, () => Drawn[]> = {
    'order as it is': () => [one(inField(order))],
    'order rewritten': () => [one(inField(rewritten(random, order)))],
    'order mistyped': () => [
      one(inField(random.chance(0.5) ? mistyped(random, order) : rewritten(random, mistyped(random, order)))),
    ],
    'ticket number': () => [
      one(asTicket(random, random.chance(0.5) ? work.ticket.number : rewritten(random, work.ticket.number))),
    ],
    'quote reference': () => [one(asQuote(random, quoteOf(random, work)))],
    'several in one field': () => [one(inField(severalOf(random, work)))],
    'in a sentence': () => [
      one(inText(random, inASentence(random, random.chance(0.5) ? order : rewritten(random, order), day))),
    ],
    'deposit and balance': () => {
      const deposit = Math.round(work.price * random.one([0.3, 0.4, 0.5]) * 100) / 100;
      const said = () => (random.chance(0.75) ? inField(rewritten(random, order)) : withoutReference(random));
      return [one(said(), deposit), one(said(), Math.round((work.price - deposit) * 100) / 100)];
    },
    'another amount': () => [
      one(inField(rewritten(random, order)), Math.round(work.price * (0.7 + random.next() * 0.6) * 100) / 100),
    ],
    'no reference': () => [one(withoutReference(random))],
    'several tickets': () => [bundle({ random, world, work, more }, one)],
    'supplier unknown': () => [
      random.chance(0.8)
        ? abroad(random, one(inField(rewritten(random, order))))
        : { ...abroad(random, one(withoutReference(random))), category: hopeless },
    ],
    'invoiced already': () => [
      { ...one(inField(order)), category: 'order as it is' },
      one(random.chance(0.5) ? inField(order) : withoutReference(random), work.price, []),
    ],
    'no right ticket': () => [stray({ random, world, work, more }, one)],
  };
  return byCategory[category]();
}

/** `of`: the tickets that it is for, the first one if nothing is said. */
type MakeOne = (said: Said, amount?: number, of?: Work[]) => Drawn;

/** The client knows the supplier, and the amount stands on the ticket. */
function isKnown({ trader, purchases, ticket, price }: Work, amount: number): boolean {
  const orders = purchases.filter(({ kind, deleted }) => kind === 'purchase_order' && !deleted);
  const hasAmount = orders.length > 0 ? orders.every((one) => one.amount !== null) : ticket.quotes.length > 0;
  return trader.siret !== null && hasAmount && amount === price;
}

function bundle({ random, work, more }: Draw, one: MakeOne): Drawn {
  const others = more.filter(({ trader }) => trader === work.trader).slice(0, random.whole(1, 2));
  for (const other of others) more.splice(more.indexOf(other), 1);
  const works = [work, ...others];
  const text = works.map((each) => orderOf(random, each)).join(random.one([', ', ' / ', ' ; ', ' + ', ' et ']));
  const amount = works.reduce((sum, { price }) => sum + price, 0);
  const drawn = one(inField(text), Math.round(amount * 100) / 100, works);
  return others.length > 0 ? drawn : { ...drawn, category: 'order rewritten' };
}

/** Work that no ticket was made for, or whose ticket is canceled; its order may be another system's. */
function stray({ random, world, work }: Draw, one: MakeOne): Drawn {
  const canceled = random.one(world.tickets.filter(({ ticket }) => ticket.status === 'canceled'));
  const said = {
    nothing: () => withoutReference(random),
    elsewhere: () => inField(foreign(random, world, orderOf(random, work))),
    text: () => inText(random, inASentence(random, String(random.whole(100, 99_999)), issueDay(random, work))),
    canceled: () => inField(orderOf(random, canceled)),
  }[random.weighted({ nothing: 4, elsewhere: 2, text: 2, canceled: 1 })]();
  const amount = random.chance(0.3)
    ? random.one(work.trader.fees)
    : Math.round((60 + random.next() * 2000) * 100) / 100;
  return one(said, amount, []);
}

/** A number such as this one that is nothing of the client's. */
function foreign(random: Random, world: World, like: string): string {
  const held = new Set(
    world.tickets.flatMap(({ ticket, purchases }) => [
      ticket.number,
      ...[...ticket.quotes, ...purchases].map(({ reference }) => reference),
    ]),
  );
  let number = like;
  while (number === like || held.has(number))
    number = like.replace(/\d{3,}$/, (run) => String(random.whole(1, 10 ** run.length - 1)).padStart(run.length, '0'));
  return number;
}

function abroad(random: Random, drawn: Drawn): Drawn {
  const vatNumber = `BE0${random.whole(100_000_000, 999_999_999)}`;
  const supplier = { externalId: 'x1', name: 'Werken NV', siret: null, siren: null, vatNumber, iban: null };
  return { ...drawn, invoice: { ...drawn.invoice, supplier } };
}

function orderOf(random: Random, { purchases, ticket }: Work): string {
  const orders = purchases.filter(({ kind }) => kind === 'purchase_order');
  return orders.length > 0 ? random.one(orders).reference : (ticket.quotes.at(-1)?.reference ?? ticket.number);
}

function quoteOf(random: Random, work: Work): string {
  return work.ticket.quotes.at(-1)?.reference ?? orderOf(random, work);
}

function severalOf(random: Random, work: Work): string {
  const own = `CL${random.whole(1000, 9999)}`;
  const { purchases, ticket } = work;
  const others = [ticket.number, quoteOf(random, work), own, ...purchases.map(({ reference }) => reference)];
  return [rewritten(random, orderOf(random, work)), random.one(others)].join(
    random.one([', ', ' / ', ' ', ' ; ', ' - ']),
  );
}
