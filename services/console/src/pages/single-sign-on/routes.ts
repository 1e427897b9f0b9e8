import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/users/single-sign-on',
    permission: 'admin',
    page: lazyPage(async () => (await import('./single-sign-on-page.tsx')).SingleSignOnPage),
  },
];
