import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/settings/:referential?',
    permission: 'tickets',
    company: 'client',
    page: lazyPage(async () => (await import('./settings-page.tsx')).SettingsPage),
  },
];
