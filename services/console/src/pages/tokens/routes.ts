import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/tokens',
    permission: 'api_webhooks',
    page: lazyPage(async () => (await import('./tokens-page.tsx')).TokensPage),
  },
];
