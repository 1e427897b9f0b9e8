import type { CompanyKind } from '@app/contracts';
import {
  clientView,
  isLive,
  isNotified,
  type Quote,
  type Report,
  type Ticket,
  type TicketDate,
  type View,
} from './ticket.ts';

/**
 * The company that reads, or a user of it who is limited to places: `placeIds` has them with all below them
 * (docs/decisions/users-limited-to-places.md). A caller is a viewer, and nothing else is to be made of one.
 */
export type Viewer = { companyId: string; companyKind: CompanyKind; placeIds?: readonly string[] };

/**
 * Which tickets a viewer sees, as a MongoDB filter: those on which the company has a view, at a place of a limited user. A
 * removed ticket is gone for contractors.
 */
export function visibleTo({ companyId, companyKind, placeIds }: Viewer): Record<string, unknown> {
  const notRemoved = companyKind === 'contractor' ? { status: { $ne: 'removed' } } : {};
  const atPlaces = placeIds ? { location_ids: { $in: placeIds } } : {};
  return { views: { $elemMatch: { company_id: companyId, ...notRemoved } }, ...atPlaces };
}

/** The rule of `visibleTo` for a ticket already loaded. */
export function sees(
  { companyId, companyKind, placeIds }: Viewer,
  { views, location_ids }: Pick<Ticket, 'views' | 'location_ids'>,
): boolean {
  if (placeIds && !location_ids.some((id) => placeIds.includes(id))) return false;
  return views.some(
    ({ company_id, status }) => company_id === companyId && (companyKind !== 'contractor' || status !== 'removed'),
  );
}

/** The companies that see what `companyId` shares on the ticket. Competing contractors never learn of each other. */
export function sharedWith(ticket: Ticket, companyId: string): string[] {
  const client = clientView(ticket).company_id as string;
  if (companyId !== client) return [client, companyId];
  const contractors = ticket.views.filter((view) => view.role === 'contractor' && isNotified(view));
  return [client, ...contractors.flatMap(({ company_id }) => (company_id ? [company_id] : []))];
}

/** True for a company that the reader may not learn of: for a contractor, everyone but the client and itself. */
export function isCompetitor(companyId: string, ticket: Ticket, own: View): boolean {
  return own.role === 'contractor' && companyId !== ticket.client_id && companyId !== own.company_id;
}

/** A contractor reads its own dates and, while its view is live, the client's. */
export function visibleDates(ticket: Pick<Ticket, 'dates' | 'client_id'>, own: View): TicketDate[] {
  if (own.role === 'client') return ticket.dates;
  return ticket.dates.filter(({ company_id }) => {
    if (company_id === ticket.client_id) return isLive(own);
    return company_id === own.company_id;
  });
}

/** A contractor reads its own reports and, while its view is live, the client's. */
export function isReportVisible(report: Report, ticket: Ticket, own: View): boolean {
  if (own.role === 'client' || report.company_id === own.company_id) return true;
  return report.company_id === ticket.client_id && isLive(own);
}

/** A client reads every quote, a contractor its own. */
export function visibleQuotes<Q extends Pick<Quote, 'contractor_id'>>(quotes: Q[], own: View): Q[] {
  return own.role === 'client' ? quotes : quotes.filter(({ contractor_id }) => contractor_id === own.contractor_id);
}
