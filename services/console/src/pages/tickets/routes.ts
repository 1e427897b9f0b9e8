import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

const permission = 'tickets';

export const routes: PageRoute[] = [
  { path: '/tickets', permission, page: lazyPage(async () => (await import('./list/tickets-page.tsx')).TicketsPage) },
  {
    path: '/tickets/new',
    permission,
    page: lazyPage(async () => (await import('./new-ticket-page.tsx')).NewTicketPage),
  },
  { path: '/tickets/:id', permission, page: lazyPage(async () => (await import('./ticket-page.tsx')).TicketPage) },
];
