import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/notifications',
    permission: null,
    page: lazyPage(async () => (await import('./notifications-page.tsx')).NotificationsPage),
  },
];
