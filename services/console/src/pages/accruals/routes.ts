import { lazyPage, type PageRoute } from '../../routing/lazy-page.ts';

export const routes: PageRoute[] = [
  {
    path: '/accruals',
    permission: 'accounting',
    company: 'client',
    page: lazyPage(async () => (await import('./accruals-page.tsx')).AccrualsPage),
  },
];
