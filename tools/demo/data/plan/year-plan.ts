import type { Invoice } from '../../invoices/invoice.ts';
import { sellerOf } from './invoice.ts';
import { type Contractor, contractors, managers } from './people.ts';
import { blankInvoice, creditNoteOf, invoiceOf } from './plan-invoices.ts';
import { type Season, trades } from './problems.ts';
import { createRandom } from './random.ts';
import { describeTicket, type PlannedTicket, type Size } from './week-plan.ts';

/** How a ticket of the year went: by a quote and an order, without them, or to another end. */
export type Course = 'ordered' | 'simple' | 'dropped' | 'canceled' | 'removed';

/** `days`: how long one day of an ordinary contractor takes here. */
export type YearTicket = { plan: PlannedTicket; at: Date; course: Course; days: number };

/**
 * `becomes`: by itself, or by the accountant. `paidAfter`: days after it came; null: it is forgotten. A credit note names the
 * invoice before it in the list.
 */
export type YearInvoice = {
  invoice: Invoice;
  ticket: YearTicket;
  becomes: 'matched' | 'linked';
  paidAfter: number | null;
};

/** With the week after it: 3,000 tickets and 1,500 invoices. */
const ticketCounts: Record<Size, number> = { full: 2_800, small: 60 };
const invoiceCount = 1_395;
const creditNoteEvery = 31;
const linkedEvery = 12;
const seed = 20_25;
const dayMs = 86_400_000;
/** The longest course of an ordinary contractor, in days. */
const longestCourse = 16;
/** Of the contractors in the order of `contractors`: some are twice as slow as others. */
const paces = [1, 1.6, 0.6, 1.1, 1.8];

/** How likely a problem is by month, from January. */
const likely: Record<Season & string, number[]> = {
  winter: [1, 0.9, 0.7, 0.3, 0.1, 0.05, 0.05, 0.05, 0.15, 0.5, 0.8, 1],
  summer: [0.1, 0.1, 0.1, 0.2, 0.5, 0.9, 1, 1, 0.6, 0.2, 0.1, 0.1],
};
const likelyAlways = 0.4;
const likelyAtWeekends = 0.2;

/** The tickets of the year before `today` but its last week, always the same, the earliest first. */
export function planYear(today: Date, size: Size = 'full'): YearTicket[] {
  const random = createRandom(seed);
  const drawn: { at: Date; trade: number; problem: number }[] = [];
  while (drawn.length < ticketCounts[size]) {
    const minutes = random.whole(6 * 60, 17 * 60);
    const at = new Date(today.getTime() - random.whole(8, 364) * dayMs + minutes * 60_000);
    const trade = random.whole(0, contractors.length - 1);
    const problem = random.whole(0, problemsOf(trade).length - 1);
    const season = problemsOf(trade)[problem]?.season ?? null;
    const chance = season === null ? likelyAlways : (likely[season][at.getUTCMonth()] ?? 0);
    const isWorkday = at.getUTCDay() % 6 !== 0;
    if (random.whole(1, 1_000) <= 1_000 * chance * (isWorkday ? 1 : likelyAtWeekends))
      drawn.push({ at, trade, problem });
  }
  drawn.sort((one, other) => one.at.getTime() - other.at.getTime());
  return drawn.map(({ at, trade, problem }, turn) => {
    const number = `25-${String(turn + 1).padStart(4, '0')}`;
    const described = describeTicket(random, { number, trade, problem: problemsOf(trade)[problem] as never });
    const course = courseOf(random.whole(1, 100));
    const plan = { status: 'closed', turn, manager: turn % managers.length, ...described } as const;
    const daysLeft = (today.getTime() - at.getTime()) / dayMs;
    return { plan, at, course, days: Math.min(paces[trade] ?? 1, daysLeft / longestCourse) };
  });
}

function problemsOf(trade: number) {
  return (trades[trade] as (typeof trades)[number]).problems;
}

function courseOf(percent: number): Course {
  if (percent <= 1) return 'removed';
  if (percent <= 7) return 'canceled';
  if (percent <= 11) return 'dropped';
  return percent <= 64 ? 'ordered' : 'simple';
}

/** The invoices of what was ordered, in the order of the tickets; a few never come, at any time of the year. */
export function planYearInvoices(tickets: readonly YearTicket[]): YearInvoice[] {
  const ordered = tickets.filter(({ course }) => course === 'ordered');
  const missing = Math.max(0, ordered.length - invoiceCount);
  const missingAmong = (some: number) => Math.floor((some * missing) / ordered.length);
  const invoiced = ordered.filter((_, turn) => missingAmong(turn + 1) === missingAmong(turn));
  return invoiced.flatMap((ticket, index) => {
    const { plan, at, days } = ticket;
    const seller = sellerOf(contractors[plan.trade] as Contractor);
    const blank = (name: string, later: number) => {
      const issued = new Date(at.getTime() + later * days * dayMs);
      return blankInvoice(seller, { id: `year-${name}-${index}`, number: 10_000 + 2 * index + (later % 2), issued });
    };
    const isLinked = index % linkedEvery === 5;
    const reference = index % 5 === 4 ? { salesOrder: plan.quote } : { order: plan.order };
    const invoice = { ...invoiceOf(plan, blank('invoice', 14)), ...(isLinked ? {} : reference) };
    const paidAfter = index % 11 === 7 ? null : 24 + (index % 12);
    const found: YearInvoice[] = [{ invoice, ticket, becomes: isLinked ? 'linked' : 'matched', paidAfter }];
    if (index % creditNoteEvery !== 0) return found;
    const creditNote = creditNoteOf(invoice, invoice.number, blank('credit', 15));
    return [...found, { invoice: creditNote, ticket, becomes: 'matched' as const, paidAfter }];
  });
}
