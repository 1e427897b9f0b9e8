import type { Status } from '../plan/week-plan.ts';
import type { TicketLife } from './ticket-life.ts';

type TicketSteps = (ticket: TicketLife) => Promise<void>;

/** How a ticket comes to its status. Which of several ways it goes follows from its turn, so it is the same at every start. */
const ticketSteps: Record<Status, TicketSteps> = {
  draft: (ticket) => ticket.create({ draft: true }),
  async opened(ticket) {
    await ticket.create();
    if (ticket.plan.turn % 3 === 0) await ticket.note('manager', 'Les photos suivent.', 'internal');
  },
  async waiting(ticket) {
    await ticket.create();
    await ticket.move('manager', 'qualify');
  },
  async proposed(ticket) {
    await ticket.create();
    await ticket.propose(1 + (ticket.plan.turn % 2));
  },
  async declined(ticket) {
    await ticket.create();
    await ticket.propose(0);
    await ticket.decline(
      ticket.plan.turn % 2 === 0 ? 'Aucun technicien disponible cette semaine.' : 'Hors de notre secteur.',
    );
  },
  async waiting_contractor(ticket) {
    await ticket.create();
    await ticket.propose(1);
    await ticket.move('contractor', 'accept');
  },
  async assigned(ticket) {
    await getContractor(ticket);
    if (ticket.plan.turn % 4 === 1) await ticket.move('contractor', 'take-charge');
  },
  async toplan(ticket) {
    await getContractor(ticket);
    await ticket.move('manager', 'ask-to-plan');
  },
  async waitingplan(ticket) {
    await getContractor(ticket);
    await ticket.move('manager', 'ask-to-plan');
    await ticket.move('contractor', 'ask-for-date');
  },
  async toreplan(ticket) {
    await getContractor(ticket);
    await ticket.date('visit', 'planned', 1);
    await ticket.reschedule();
    await ticket.note('contractor', 'Technicien malade, nous proposons une autre date.');
  },
  async visit(ticket) {
    await getContractor(ticket);
    await ticket.date('visit', 'planned', 1 + (ticket.plan.turn % 4));
  },
  async visit_devis(ticket) {
    await getContractor(ticket);
    await ticket.date('visit', 'planned', -1 - (ticket.plan.turn % 3));
  },
  validation: getQuote,
  async validated(ticket) {
    await getQuote(ticket);
    await ticket.decideQuote('validate');
    await ticket.purchase('purchase_request', -1);
    if (ticket.plan.turn % 2 === 0) await order(ticket, 0);
  },
  async dropped(ticket) {
    await getQuote(ticket);
    await ticket.decideQuote('decline');
    await ticket.note('manager', 'Trop cher\u00a0: merci de chiffrer plutôt une réparation.');
  },
  async intervention(ticket) {
    await getOrder(ticket);
    await ticket.date('intervention', 'planned', 1 + (ticket.plan.turn % 5));
  },
  async intervention_finish(ticket) {
    await getOrder(ticket);
    await ticket.date('intervention', 'planned', -1 - (ticket.plan.turn % 2));
  },
  finished: getDone,
  async closed(ticket) {
    await getDone(ticket);
    await ticket.close();
  },
  async canceled(ticket) {
    await getContractor(ticket);
    await ticket.purchase('purchase_order', -3);
    // The invoice of the first one arrives before it is canceled (`place-invoices.ts`).
    if (ticket.plan.turn > 0) await ticket.cancel('Réparé en interne.');
  },
  async removed(ticket) {
    await ticket.create();
    await ticket.move('manager', 'remove');
  },
};

export function bringToStatus(ticket: TicketLife): Promise<void> {
  return ticketSteps[ticket.plan.status](ticket);
}

async function getContractor(ticket: TicketLife): Promise<void> {
  await ticket.create();
  if (ticket.plan.turn % 4 === 1) {
    await ticket.propose(1);
    await ticket.move('contractor', 'accept');
  } else await ticket.assign();
}

async function getQuote(ticket: TicketLife): Promise<void> {
  await getContractor(ticket);
  if (ticket.plan.turn % 3 === 0) {
    await ticket.date('visit', 'planned', -4);
    await ticket.date('visit', 'actual', -4);
    await ticket.note('contractor', 'Vu sur place, devis joint.');
  }
  await ticket.quote();
}

async function getOrder(ticket: TicketLife): Promise<void> {
  await getQuote(ticket);
  await ticket.decideQuote('validate');
  if (ticket.plan.turn % 4 === 0) await ticket.purchase('purchase_request', -4);
  await order(ticket, -3);
}

async function order(ticket: TicketLife, day: number): Promise<void> {
  await ticket.purchase('purchase_order', day);
  if (ticket.plan.turn % 4 === 0) await ticket.orderFile();
}

async function getDone(ticket: TicketLife): Promise<void> {
  await getOrder(ticket);
  const day = -1 - (ticket.plan.turn % 3);
  await ticket.date('intervention', 'planned', day);
  await ticket.date('intervention', 'actual', day);
  if (ticket.plan.turn % 2 === 0) await ticket.report();
  if (ticket.plan.turn % 3 !== 1) await ticket.purchase('goods_receipt', 0);
}
