import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/invoices/:id?',
    permission: 'accounting',
    company: 'client',
    page: lazyPage(async () => (await import('./invoices-page.tsx')).InvoicesPage),
  },
];
