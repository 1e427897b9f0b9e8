import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

const access = { permission: 'tickets', company: 'client' } as const;

export const routes: PageRoute[] = [
  {
    ...access,
    path: '/settings/locations/:id',
    page: lazyPage(async () => (await import('./entry-page/entry-page.tsx')).PlacePage),
  },
  {
    ...access,
    path: '/settings/equipments/:id',
    page: lazyPage(async () => (await import('./entry-page/entry-page.tsx')).EquipmentPage),
  },
  {
    ...access,
    path: '/settings/deadlines',
    page: lazyPage(async () => (await import('./deadlines/deadlines-page.tsx')).DeadlinesPage),
  },
  {
    ...access,
    path: '/settings/:referential?',
    page: lazyPage(async () => (await import('./settings-page.tsx')).SettingsPage),
  },
];
