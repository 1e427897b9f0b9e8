import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/users',
    permission: 'admin',
    page: lazyPage(async () => (await import('./users-page.tsx')).UsersPage),
  },
];
