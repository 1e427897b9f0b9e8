import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/tickets',
    permission: 'tickets',
    page: lazyPage(async () => (await import('./tickets-page.tsx')).TicketsPage),
  },
];
