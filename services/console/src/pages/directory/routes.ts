import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/directory',
    permission: 'tickets',
    company: 'client',
    page: lazyPage(async () => (await import('./directory-page.tsx')).DirectoryPage),
  },
];
