import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/account',
    permission: null,
    page: lazyPage(async () => (await import('./account-page.tsx')).AccountPage),
  },
];
