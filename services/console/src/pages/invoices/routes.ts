import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

const access = { permission: 'accounting', company: 'client' } as const;

export const routes: PageRoute[] = [
  {
    path: '/invoices',
    ...access,
    page: lazyPage(async () => (await import('./invoices-page.tsx')).InvoicesPage),
  },
  {
    path: '/invoices/tickets/:id',
    ...access,
    page: lazyPage(async () => (await import('../tickets/read-only-ticket-page.tsx')).ReadOnlyTicketPage),
  },
  {
    path: '/invoices/:id',
    ...access,
    page: lazyPage(async () => (await import('./invoice-page.tsx')).InvoicePage),
  },
];
