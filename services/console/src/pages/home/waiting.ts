import { useQueries } from '@tanstack/react-query';
import { call, second, tickets } from '../../api/client.ts';
import { aside } from '../../api/query.ts';
import { may, type Session, useSession } from '../../session/session.ts';
import type { en } from './texts.en.ts';

type Subject = Exclude<keyof typeof en, 'hello' | 'title' | `no${string}` | 'waiting'>;
/** What waits, and the list that shows it. `count` reads at most 100: nobody works through more in one go. */
type Waiting = { subject: Subject; href: string; count: (signal: AbortSignal) => Promise<number> };

const most = 100;

const ofStatus = (subject: Subject, statuses: string[]): Waiting => ({
  subject,
  href: `/tickets?view=${subject}`,
  count: async (signal) => {
    const query = { status: statuses.join(','), limit: most };
    return (await call(tickets.GET('/api/v3.0/tickets', { params: { query }, signal }))).tickets.length;
  },
});

const ofClient: Waiting[] = [
  ofStatus('to-assign', ['opened', 'waiting', 'declined']),
  ofStatus('quotes-to-decide', ['validation']),
  ofStatus('dates-passed', ['visit_devis', 'intervention_finish']),
  ofStatus('to-close', ['finished']),
];

const ofContractor: Waiting[] = [
  ofStatus('to-answer', ['proposed']),
  ofStatus('to-plan', ['assigned', 'toplan', 'waitingplan', 'toreplan', 'validated']),
  ofStatus('to-confirm', ['visit_devis', 'intervention_finish']),
];

const invoices: Waiting[] = [
  {
    subject: 'invoicesToMatch',
    href: '/invoices?list=queue',
    count: async (signal) =>
      (await call(second.GET('/invoices', { params: { query: { limit: most } }, signal }))).items.length,
  },
  {
    subject: 'invoicesInReview',
    href: '/invoices?list=review',
    count: async (signal) =>
      (await call(second.GET('/invoices/in-review', { params: { query: { limit: most } }, signal }))).items.length,
  },
];

const webhooks: Waiting = {
  subject: 'webhooksFailing',
  href: '/webhooks',
  count: async (signal) => {
    const { items } = await call(second.GET('/webhooks/endpoints', { signal }));
    return items.filter(({ health }) => health !== 'ok').length;
  },
};

function subjectsFor(session: Session): Waiting[] {
  const isClient = session.company.kind === 'client';
  return [
    ...(isClient && may(session, 'accounting') ? invoices : []),
    ...(may(session, 'tickets') ? (isClient ? ofClient : ofContractor) : []),
    ...(may(session, 'api_webhooks') ? [webhooks] : []),
  ];
}

/** Each with its count once it is known. */
export function useWaiting() {
  const subjects = subjectsFor(useSession());
  const queries = useQueries({
    queries: subjects.map(({ subject, count }) => ({
      queryKey: ['waiting', subject],
      queryFn: ({ signal }: { signal: AbortSignal }) => count(signal),
      staleTime: 30_000,
      ...aside,
    })),
  });
  return subjects.map((subject, index) => ({ ...subject, query: queries[index] }));
}

export function countText(count: number): string {
  return count >= most ? `${most}+` : String(count);
}
