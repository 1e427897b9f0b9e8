import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/webhooks',
    permission: 'api_webhooks',
    page: lazyPage(async () => (await import('./webhooks-page.tsx')).WebhooksPage),
  },
];
