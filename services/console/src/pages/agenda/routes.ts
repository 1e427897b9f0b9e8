import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/agenda',
    permission: 'tickets',
    page: lazyPage(async () => (await import('./agenda-page.tsx')).AgendaPage),
  },
];
