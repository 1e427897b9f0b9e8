import type { Counted } from '../../i18n/format.ts';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { useCounts as useInvoiceCounts } from '../invoices/data/invoice-queries.ts';
import { countsOfLists } from '../invoices/rules/invoice.ts';
import { builtInFiltersOf, countOf, overdueIn } from '../tickets/list-query.ts';
import { useCounts as useTicketCounts } from '../tickets/tickets.ts';
import { useFailing } from '../webhooks/endpoints.ts';
import type { en } from './texts.en.ts';

type Subject = Exclude<keyof typeof en, 'hello' | `no${string}` | `request${string}` | 'waiting'>;
/** Something that waits for the user, and the list that shows it. `counted` is undefined until it is known. */
export type Waiting = { subject: Subject; href: string; counted: Counted | undefined; error: unknown };

/** What waits for the user, each with its count once that is known. */
export function useWaiting(): Waiting[] {
  return [...useWaitingInvoices(), ...useWaitingTickets(), ...useWaitingWebhooks()];
}

function useWaitingInvoices(): Waiting[] {
  const session = useSession();
  const isOn = session.company.kind === 'client' && may(session, 'accounting');
  const { data, error } = useInvoiceCounts({ isOn });
  if (!isOn) return [];
  const counted = data && countsOfLists(data);
  return [
    { subject: 'invoicesToMatch', href: '/invoices?list=queue', counted: counted?.queue, error },
    { subject: 'invoicesInReview', href: '/invoices?list=review', counted: counted?.review, error },
  ];
}

function useWaitingTickets(): Waiting[] {
  const session = useSession();
  const isOn = may(session, 'tickets');
  const { data, error } = useTicketCounts({ isOn });
  if (!isOn) return [];
  const byStatus = builtInFiltersOf(session.company.kind).map(([view, statuses]) => ({
    subject: view,
    href: `/tickets?view=${view}`,
    error,
    counted: data && countOf(statuses, data),
  }));
  return [...byStatus, { subject: 'overdue', href: '/tickets?due=overdue', error, counted: data && overdueIn(data) }];
}

function useWaitingWebhooks(): Waiting[] {
  const isOn = may(useSession(), 'api_webhooks');
  const { count, error } = useFailing({ isOn });
  const counted = count === undefined ? undefined : { count, isMore: false };
  return isOn ? [{ subject: 'webhooksFailing', href: '/webhooks', counted, error }] : [];
}
