import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/connections',
    permission: 'accounting',
    company: 'client',
    page: lazyPage(async () => (await import('./connections-page.tsx')).ConnectionsPage),
  },
];
