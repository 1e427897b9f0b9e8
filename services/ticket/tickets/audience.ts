import { clientView, isNotified, type Ticket } from './ticket.ts';

/** The companies that hear of what `companyId` shares (design section 6: competitors never see each other). */
export function sharedWith(ticket: Ticket, companyId: string): string[] {
  const client = clientView(ticket).company_id as string;
  if (companyId !== client) return [client, companyId];
  const contractors = ticket.views.filter((view) => view.role === 'contractor' && isNotified(view));
  return [client, ...contractors.flatMap(({ company_id }) => (company_id ? [company_id] : []))];
}
