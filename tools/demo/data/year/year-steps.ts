import type { Course } from '../plan/year-plan.ts';
import type { TicketLife } from '../week/ticket-life.ts';

/** Lets so many days pass of an ordinary contractor. */
type Later = (days: number) => Promise<void>;

const courses: Record<Course, (ticket: TicketLife, later: Later) => Promise<void>> = {
  async ordered(ticket, later) {
    await getQuote(ticket, later);
    await later(2);
    await ticket.decideQuote('validate');
    await later(0.5);
    await ticket.purchase('purchase_order', 0);
    await later(0.5);
    await ticket.date('intervention', 'planned', 3);
    await later(3.5);
    await ticket.date('intervention', 'actual', -1);
    if (ticket.plan.turn % 2 === 0) await ticket.report();
    await later(1);
    if (ticket.plan.turn % 3 !== 1) await ticket.purchase('goods_receipt', 0);
    await later(1);
    await ticket.close();
  },
  async simple(ticket, later) {
    await getContractor(ticket, later);
    await later(0.5);
    await ticket.date('intervention', 'planned', 1);
    await later(2.2);
    if (ticket.plan.turn % 7 === 2) {
      await ticket.miss();
      await ticket.date('intervention', 'planned', 1);
      await later(2.2);
    }
    await ticket.date('intervention', 'actual', -1);
    if (ticket.plan.turn % 3 === 0) await ticket.report();
    await later(2);
    await ticket.close();
  },
  async dropped(ticket, later) {
    await getQuote(ticket, later);
    await later(3);
    await ticket.decideQuote('decline');
    await later(2);
    await ticket.cancel('Trop cher, reporté.');
  },
  async canceled(ticket, later) {
    await getContractor(ticket, later);
    await later(2);
    await ticket.cancel('Réparé en interne.');
  },
  async removed(ticket, later) {
    await ticket.create();
    await later(0.2);
    await ticket.move('manager', 'remove');
  },
};

/** What people did with a ticket of the year. `days`: how long a day takes here. */
export async function liveYearTicket(ticket: TicketLife, course: Course, days: number): Promise<void> {
  await ticket.later(0);
  await courses[course](ticket, (wait) => ticket.later(wait * days));
}

async function getContractor(ticket: TicketLife, later: Later): Promise<void> {
  await ticket.create();
  await later(0.3);
  if (ticket.plan.turn % 4 !== 1) return ticket.assign();
  await ticket.propose(1);
  await later(0.7);
  await ticket.move('contractor', 'accept');
}

async function getQuote(ticket: TicketLife, later: Later): Promise<void> {
  await getContractor(ticket, later);
  if (ticket.plan.turn % 3 === 0) await ticket.date('visit', 'planned', 1);
  await later(2.2);
  if (ticket.plan.turn % 3 === 0) await ticket.date('visit', 'actual', -1);
  await ticket.quote();
}
