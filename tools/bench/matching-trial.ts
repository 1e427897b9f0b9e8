import {
  type Candidate,
  candidateLookup,
  decide,
  heldBy,
  type LinkedInvoice,
  type MatchDecision,
  matchSupplier,
  purchaseKeys,
  type SupplierMatch,
  supplierNumbers,
  ticketKeys,
} from '@app/matching';
import { type Drawn, drawInvoices, hopeless } from './matching-invoices.ts';
import { createRandom } from './matching-random.ts';
import { makeWorld, type Work, type World } from './matching-world.ts';

/** What became of one invoice. `inFive`: a right ticket stands among the suggestions. */
export type Outcome = {
  drawn: Drawn;
  decision: MatchDecision;
  isRight: boolean;
  inFive: boolean;
  candidates: number;
  us: number;
};

/** Makes a world and its invoices, and matches them one after the other as the service would, from the facts alone. */
export function runTrial(seed: number, { tickets = 1000, invoices = 1000 } = {}): Outcome[] {
  const random = createRandom(seed);
  const world = makeWorld(random, tickets);
  const find = finderOf(world);
  const linked = new Map<string, LinkedInvoice[]>();
  return drawInvoices(random, world, invoices).map((drawn) => {
    const { invoice } = drawn;
    const supplier = matchSupplier(supplierNumbers(invoice.supplier, ['552100554']), world.contractors);
    const candidates = find(drawn, supplier).map(
      ({ ticket, purchases, locations }): Candidate => ({
        ticket,
        purchases,
        held: heldBy(ticket, purchases),
        locations,
        linked: linked.get(ticket.id) ?? [],
      }),
    );
    const start = process.hrtime.bigint();
    const decision = decide({ invoice, supplier, candidates });
    const us = Number(process.hrtime.bigint() - start) / 1000;
    // What was not matched by itself an operator places where it belongs.
    const ticketId = decision.ticketId ?? drawn.tickets[0];
    if (ticketId) linked.set(ticketId, [...(linked.get(ticketId) ?? []), invoice.amounts]);
    const isRight = drawn.tickets.length === 1 && decision.ticketId === drawn.tickets[0];
    const inFive = decision.suggestions.some((one) => drawn.tickets.includes(one.ticketId));
    return { drawn, decision, isRight, inFive, candidates: candidates.length, us };
  });
}

/** Looks candidates up as a store does: by keys, by amount, then the supplier's newest tickets. */
function finderOf({ tickets }: World): (drawn: Drawn, supplier: SupplierMatch) => Work[] {
  const byKey = new Map<string, Work[]>();
  const byCents = new Map<number, Work[]>();
  for (const work of tickets) {
    for (const { keys, cents } of [ticketKeys(work.ticket), ...work.purchases.map(purchaseKeys)]) {
      for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), work]);
      for (const amount of cents) byCents.set(amount, [...(byCents.get(amount) ?? []), work]);
    }
  }
  return ({ invoice }, supplier) => {
    const lookup = candidateLookup(invoice, supplier);
    const isTheirs = ({ trader }: Work) => lookup.contractorIds.includes(trader.id);
    const isPossible = ({ ticket }: Work) =>
      !lookup.statusesOut.includes(ticket.status) &&
      ticket.created_at < lookup.createdBefore &&
      ticket.updated_at >= lookup.updatedFrom;
    const newest = tickets
      .filter(isTheirs)
      .sort((one, other) => (one.ticket.updated_at < other.ticket.updated_at ? 1 : -1));
    const found = [
      ...lookup.keys.flatMap((key) => byKey.get(key) ?? []),
      ...lookup.cents.flatMap((amount) => (byCents.get(amount) ?? []).filter(isTheirs)),
      ...newest,
    ];
    return [...new Set(found)].filter(isPossible).slice(0, lookup.limit);
  };
}

/** The three figures that matching is held to (their aims: `matchingAims`). */
export type Figures = { precision: number; share: number; inFive: number };

export const matchingAims: Figures = { precision: 0.99, share: 0.7, inFive: 0.95 };

/**
 * `precision` of what was matched by itself; `share` of it, rightly, among the invoices that have one right ticket;
 * `inFive`: of the invoices left to a person that have a right ticket, or several, those whose suggestions hold it.
 * Invoices with nothing to go on count for the precision alone.
 */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const automatic = outcomes.filter(({ decision }) => decision.decision === 'auto');
  const right = automatic.filter(({ isRight }) => isRight);
  const told = outcomes.filter(({ drawn }) => drawn.category !== hopeless);
  const answerable = told.filter(({ drawn }) => drawn.tickets.length === 1).length;
  const rest = told.filter(({ decision, drawn }) => decision.decision === 'queue' && drawn.tickets.length > 0);
  return {
    precision: right.length / automatic.length,
    share: right.filter(({ drawn }) => drawn.category !== hopeless).length / answerable,
    inFive: rest.filter(({ inFive }) => inFive).length / rest.length,
  };
}
