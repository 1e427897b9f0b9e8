import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { RouterProvider } from 'react-aria-components';
import { Router, useLocation } from 'wouter';
import { queryClient } from './api/query.ts';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { LocaleProvider } from './i18n/locale.tsx';
import { Pages } from './router.tsx';
import { askBeforeLeaving } from './shell/navigation/unsaved-changes-dialog.tsx';

/** The path of the console on its host, as `vite-config.ts` has it. */
const base = '/console';

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <LocaleProvider>
        <ErrorBoundary>
          <Router base={base} aroundNav={askBeforeLeaving}>
            <Links>
              <Pages />
            </Links>
          </Router>
        </ErrorBoundary>
      </LocaleProvider>
    </QueryClientProvider>
  );
}

declare module 'react-aria-components' {
  interface RouterConfig {
    routerOptions: NonNullable<Parameters<ReturnType<typeof useLocation>[1]>[1]>;
  }
}

/** Makes React Aria's links navigate within the console, without reloading the page. */
function Links({ children }: { children: ReactNode }) {
  const [, navigate] = useLocation();
  const hrefOf = (href: string) => (href.startsWith('/') ? `${base}${href}` : href);
  return (
    <RouterProvider navigate={(href, options) => navigate(href, options)} useHref={hrefOf}>
      {children}
    </RouterProvider>
  );
}
