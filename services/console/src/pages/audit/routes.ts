import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/audit',
    permission: 'admin',
    page: lazyPage(async () => (await import('./audit-page.tsx')).AuditPage),
  },
];
