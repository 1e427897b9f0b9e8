import { contractors, managers } from './people.ts';
import { type Problem, trades } from './problems.ts';
import { createRandom, type Random, shuffled } from './random.ts';

/** How many tickets of a full week end in each status: 200. */
const ticketCounts = {
  draft: 4,
  opened: 12,
  waiting: 6,
  proposed: 10,
  declined: 4,
  waiting_contractor: 6,
  assigned: 10,
  toplan: 8,
  waitingplan: 6,
  toreplan: 5,
  visit: 8,
  visit_devis: 5,
  validation: 12,
  validated: 12,
  dropped: 4,
  intervention: 16,
  intervention_finish: 8,
  finished: 26,
  closed: 30,
  canceled: 6,
  removed: 2,
} as const;

/** A small week has all kinds of tickets and invoices, and few of each: for tests. */
export type Size = 'full' | 'small';

export type Status = keyof typeof ticketCounts;
export const statuses = Object.keys(ticketCounts) as Status[];

export type PlannedTicket = {
  /** The client's own reference, by which a ticket of the week is known again at the next start. */
  reference: string;
  /** Where it is when the week is filled. */
  status: Status;
  /** Its number among the tickets of this status, from 0: some of them reach it by a longer way. */
  turn: number;
  title: string;
  description: string;
  priority: 'low' | 'medium' | 'high';
  /** Positions among locations, `contractors` and `managers`. */
  location: number;
  trade: number;
  manager: number;
  /** Without VAT, in cents. */
  cents: number;
  parts: string;
  quote: string;
  order: string;
};

const locationCount = 9;
const seed = 20_26;

const smallCounts: Partial<Record<Status, number>> = { finished: 14, closed: 14, intervention_finish: 5 };

/** The tickets of the week, always the same, mixed as they come in. The last one is opened: it is made when all else is there. */
export function planTickets(size: Size = 'full'): PlannedTicket[] {
  const random = createRandom(seed);
  const all = statuses.flatMap((status) =>
    Array.from({ length: size === 'full' ? ticketCounts[status] : (smallCounts[status] ?? 1) }, (_, turn) => ({
      status,
      turn,
    })),
  );
  const [last, ...others] = all
    .filter(({ status }) => status === 'opened')
    .concat(all.filter(({ status }) => status !== 'opened'));
  const ordered = [...shuffled(others, random), last as (typeof all)[number]];
  return ordered.map(({ status, turn }, index) => {
    const trade = random.whole(0, contractors.length - 1);
    const problem = random.one((trades[trade] as (typeof trades)[number]).problems);
    const number = `26-${String(index + 1).padStart(4, '0')}`;
    return { status, turn, manager: index % managers.length, ...describeTicket(random, { number, trade, problem }) };
  });
}

type Described = { number: string; trade: number; problem: Problem };

/** What people write of a problem, where it is and what it costs. `number`: that of its papers. */
export function describeTicket(random: Random, { number, trade, problem }: Described) {
  const { title, description, price, parts } = problem;
  const { spots } = trades[trade] as (typeof trades)[number];
  return {
    reference: `GB-${number}`,
    title: `${title} – ${random.one(spots)}`,
    description,
    priority: random.one(['low', 'medium', 'medium', 'high'] as const),
    location: random.whole(0, locationCount - 1),
    trade,
    cents: random.whole(price[0] * 2, price[1] * 2) * 50,
    parts,
    quote: `DEV-${number}`,
    order: `BC-${number}`,
  };
}
