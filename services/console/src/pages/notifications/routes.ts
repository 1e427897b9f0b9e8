import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/notifications',
    permission: null,
    page: lazyPage(async () => (await import('./notifications-page.tsx')).NotificationsPage),
  },
  {
    path: '/notifications/settings',
    permission: null,
    page: lazyPage(async () => (await import('./settings-page.tsx')).SettingsPage),
  },
];
