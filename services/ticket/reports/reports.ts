import { ticketReportAdded } from '@app/contracts';
import { AppError } from '@app/kernel';
import { finishDecision } from '../tickets/lifecycle/decision.ts';
import { refuseAddition } from '../tickets/lifecycle/status-machine.ts';
import { type Actor, type Decision, type Report, type Ticket, ticketRef, viewOfCompany } from '../tickets/ticket.ts';
import { sharedWith } from '../tickets/visibility.ts';

const reportsPerTicket = 200;

/** Adds an intervention report. A contractor's is shared with the client only. */
export function addReport(ticket: Ticket, actor: Actor, now: Date, input: Pick<Report, '_id' | 'file'>): Decision {
  const view = actor.party === 'timer' ? undefined : viewOfCompany(ticket, actor.companyId);
  if (!view?.company_id) throw new Error('the actor has no view of this ticket');
  refuseAddition(ticket, view.company_id, 'add_report');
  if (ticket.reports.length >= reportsPerTicket) {
    throw new AppError('unprocessable', 'ticket_too_many', `a ticket holds at most ${reportsPerTicket} reports`);
  }
  const report: Report = { ...input, company_id: view.company_id, contractor_id: view.contractor_id, added_at: now };
  const payload = {
    ticket: ticketRef(ticket),
    report: { id: report._id, name: report.file.name, added_at: now.toISOString() },
  };
  const event = ticketReportAdded({ audience: sharedWith(ticket, view.company_id), payload }, now, ticket._id);
  return finishDecision(ticket, { ...ticket, reports: [...ticket.reports, report] }, now, { events: [event] });
}
