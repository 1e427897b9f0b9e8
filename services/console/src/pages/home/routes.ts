import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/',
    permission: null,
    page: lazyPage(async () => (await import('./home-page.tsx')).HomePage),
  },
];
