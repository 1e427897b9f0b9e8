import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/platform/companies',
    permission: 'platform',
    page: lazyPage(async () => (await import('./companies-page.tsx')).CompaniesPage),
  },
  {
    path: '/platform/users',
    permission: 'platform',
    page: lazyPage(async () => (await import('./platform-users-page.tsx')).PlatformUsersPage),
  },
  {
    path: '/platform/exports',
    permission: 'platform',
    page: lazyPage(async () => (await import('./exports-page.tsx')).ExportsPage),
  },
];
