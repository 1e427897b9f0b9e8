import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { may } from '../../../../session/permissions.ts';
import { useSession } from '../../../../session/session.ts';

/** Leads to the ticket; whoever may not work on tickets gets it to read. */
export function TicketLink({ ticketId, children }: { ticketId: string; children: ReactNode }) {
  const area = may(useSession(), 'tickets') ? '/tickets' : '/invoices/tickets';
  return <Link href={`${area}/${ticketId}`}>{children}</Link>;
}
