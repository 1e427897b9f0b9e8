import { createRandom } from '@app/demo';
import {
  type Candidate,
  candidateLookup,
  decide,
  knownReferences,
  type LinkedInvoice,
  type MatchDecision,
  matchSupplier,
  purchaseKeys,
  type SupplierMatch,
  supplierNumbers,
  ticketKeys,
} from '@app/matching';
import { createDataset, type Dataset, type DatasetTicket } from './dataset.ts';
import { type GeneratedInvoice, generateInvoices, unmatchable } from './generate-invoices.ts';

/** What was decided about one invoice. `inTopFive`: a right ticket is among the suggestions. `us`: microseconds. */
export type Outcome = {
  generated: GeneratedInvoice;
  decision: MatchDecision;
  isRight: boolean;
  inTopFive: boolean;
  candidates: number;
  us: number;
};

/** Generates a dataset with its invoices and matches them one after the other as the service does. Same seed, same result. */
export function evaluate(seed: number, { tickets = 1000, invoices = 1000 } = {}): Outcome[] {
  const random = createRandom(seed);
  const dataset = createDataset(random, tickets);
  const find = createCandidateFinder(dataset);
  const linked = new Map<string, LinkedInvoice[]>();
  return generateInvoices(random, dataset, invoices).map((generated) => {
    const { invoice } = generated;
    const supplier = matchSupplier(supplierNumbers(invoice.supplier, ['552100554']), dataset.contractors);
    const candidates = find(generated, supplier).map(
      ({ ticket, purchases, locations }): Candidate => ({
        ticket,
        purchases,
        references: knownReferences(ticket, purchases),
        locations,
        linked: linked.get(ticket.id) ?? [],
      }),
    );
    const start = process.hrtime.bigint();
    const decision = decide({ invoice, supplier, candidates });
    const us = Number(process.hrtime.bigint() - start) / 1000;
    // An invoice that is not matched automatically is linked to its right ticket by an operator.
    const ticketId = decision.ticketId ?? generated.tickets[0];
    const counted = { ...invoice.amounts, references: candidateLookup(invoice, supplier).keys };
    if (ticketId) linked.set(ticketId, [...(linked.get(ticketId) ?? []), counted]);
    const isRight = generated.tickets.length === 1 && decision.ticketId === generated.tickets[0];
    const inTopFive = decision.suggestions.some((one) => generated.tickets.includes(one.ticketId));
    return { generated, decision, isRight, inTopFive, candidates: candidates.length, us };
  });
}

/** Finds candidates as the store does: by keys, by amount, then the supplier's newest tickets. */
function createCandidateFinder({
  tickets,
}: Dataset): (generated: GeneratedInvoice, supplier: SupplierMatch) => DatasetTicket[] {
  const byKey = new Map<string, DatasetTicket[]>();
  const byCents = new Map<number, DatasetTicket[]>();
  for (const work of tickets) {
    for (const { keys, cents } of [ticketKeys(work.ticket), ...work.purchases.map(purchaseKeys)]) {
      for (const key of keys) byKey.set(key, [...(byKey.get(key) ?? []), work]);
      for (const amount of cents) byCents.set(amount, [...(byCents.get(amount) ?? []), work]);
    }
  }
  return ({ invoice }, supplier) => {
    const lookup = candidateLookup(invoice, supplier);
    const isTheirs = ({ company }: DatasetTicket) => lookup.contractorIds.includes(company.id);
    const isPossible = ({ ticket }: DatasetTicket) =>
      !lookup.excludedStatuses.includes(ticket.status) &&
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

/** The three figures that matching is measured by, each from 0 to 1. Their aims: `matchingAims`. */
type Figures = { precision: number; automaticShare: number; inTopFive: number };

export const matchingAims: Figures = { precision: 0.99, automaticShare: 0.7, inTopFive: 0.95 };

/**
 * `precision`: right links among the automatic ones. `automaticShare`: automatic right links among the invoices with one
 * right ticket. `inTopFive`: among the invoices left to a person that have a right ticket, those whose suggestions hold it.
 * Unmatchable invoices count for the precision only.
 */
export function figuresOf(outcomes: readonly Outcome[]): Figures {
  const automatic = outcomes.filter(({ decision }) => decision.decision === 'auto');
  const right = automatic.filter(({ isRight }) => isRight);
  const matchable = outcomes.filter(({ generated }) => generated.category !== unmatchable);
  const answerable = matchable.filter(({ generated }) => generated.tickets.length === 1).length;
  const rest = matchable.filter(
    ({ decision, generated }) => decision.decision === 'queue' && generated.tickets.length > 0,
  );
  return {
    precision: right.length / automatic.length,
    automaticShare: right.filter(({ generated }) => generated.category !== unmatchable).length / answerable,
    inTopFive: rest.filter(({ inTopFive }) => inTopFive).length / rest.length,
  };
}
