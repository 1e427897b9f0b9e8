import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { ticketArea } from '../../../../session/permissions.ts';
import { useSession } from '../../../../session/session.ts';

export function TicketLink({ ticketId, children }: { ticketId: string; children: ReactNode }) {
  return <Link href={`${ticketArea(useSession())}/${ticketId}`}>{children}</Link>;
}
