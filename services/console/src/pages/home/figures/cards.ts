import { may, type Permission } from '../../../session/permissions.ts';

export type CardName =
  | 'open'
  | 'quotesToDecide'
  | 'planned'
  | 'spendByMonth'
  | 'spendByPlace'
  | 'commitments'
  | 'contractors'
  | 'deadlinesByContractor'
  | 'deadlinesByPlace'
  | 'deadlines'
  | 'toTreat'
  | 'due'
  | 'suppliers'
  | 'checks'
  | 'matched'
  | 'agenda'
  | 'proposals'
  | 'quotes'
  | 'uninvoiced'
  | 'invoices'
  | 'work';

type Reader = { permissions: Permission[]; company: { kind: 'client' | 'contractor' } };

/** The cards of Home, in their order: what waits first, then money, then how it went; the wide ones take a row. */
export function cardsOf(reader: Reader): CardName[] {
  const hasTickets = may(reader, 'tickets');
  if (reader.company.kind === 'contractor')
    return hasTickets ? ['agenda', 'proposals', 'quotes', 'uninvoiced', 'invoices', 'work', 'deadlines'] : [];
  const hasInvoices = may(reader, 'accounting');
  return [
    ...(hasTickets ? (['quotesToDecide', 'open', 'planned', 'commitments'] as const) : []),
    ...(hasInvoices ? (['toTreat', 'due', 'checks', 'uninvoiced', 'suppliers', 'matched'] as const) : []),
    ...(hasTickets ? (['deadlinesByContractor', 'deadlinesByPlace'] as const) : []),
    ...(hasTickets ? (['spendByMonth', 'spendByPlace', 'contractors'] as const) : []),
  ];
}
