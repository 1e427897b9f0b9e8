import { type ReactNode, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { ApiError } from './api/errors.ts';
import { ButtonLink } from './components/button.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { Page } from './components/layout/page.tsx';
import { EmptyState, ErrorState, Skeleton } from './components/states.tsx';
import { useFrameTexts } from './i18n/locale.tsx';
import { CompanySignInPage } from './pages/sign-in/company-sign-in-page.tsx';
import { ForgotPasswordPage } from './pages/sign-in/forgot-password-page.tsx';
import { afterSignIn } from './pages/sign-in/return-path.ts';
import { SetPasswordPage } from './pages/sign-in/set-password-page.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { ofCompanies, ofPlatform } from './routes.ts';
import type { PageRoute } from './routing/lazy-page.ts';
import { isId } from './routing/url-state.ts';
import { SessionContext, useSession, useSessionQuery } from './session/session.ts';
import { landingPage } from './shell/navigation/landing-page.ts';
import { barrier } from './shell/navigation/navigation.ts';
import { PlatformShell } from './shell/platform-shell.tsx';
import { Shell } from './shell/shell.tsx';

export function Pages() {
  return (
    <Switch>
      <Route path="/login">
        <SignInPage />
      </Route>
      <Route path="/login/company">
        <CompanySignInPage />
      </Route>
      <Route path="/set-password">
        <SetPasswordPage />
      </Route>
      <Route path="/forgot-password">
        <ForgotPasswordPage />
      </Route>
      <Route path="/platform">
        <Redirect to="/platform/companies" replace />
      </Route>
      <Route path="/platform/*?">
        <PlatformShell>
          <Routes routes={ofPlatform} />
        </PlatformShell>
      </Route>
      <Route>
        <SignedIn />
      </Route>
    </Switch>
  );
}

/** All pages for users of companies. A signed-out user is sent to the sign-in and then back. */
function SignedIn() {
  const query = useSessionQuery();
  const [path] = useLocation();
  const search = useSearch();
  const { data: session, error } = query;
  if (session && path === afterSignIn) return <Redirect to={landingPage(session)} replace />;
  if (session) {
    return (
      <SessionContext value={session}>
        <Shell>
          <Routes routes={ofCompanies} />
        </Shell>
      </SessionContext>
    );
  }
  if (error instanceof ApiError && error.status === 401) {
    const to = search ? `${path}?${search}` : path;
    return <Redirect to={['/', afterSignIn].includes(to) ? '/login' : `/login?to=${encodeURIComponent(to)}`} replace />;
  }
  return (
    <main>
      <Page title="">{error ? <ErrorState error={error} onRetry={() => void query.refetch()} /> : <Skeleton />}</Page>
    </main>
  );
}

/** Whether what stands in the path for an id is one; the API would call anything else a fault of the input. */
function hasIds(params: Record<string, string | undefined>): boolean {
  return Object.entries(params).every(([name, value]) => !/^(id|\w+Id)$/.test(name) || isId(value ?? ''));
}

function Routes({ routes }: { routes: PageRoute[] }) {
  return (
    <Switch>
      {routes.map((route) => (
        <Route key={route.path} path={route.path}>
          {(params) => (hasIds(params) ? <Allowed route={route} /> : <NotFound />)}
        </Route>
      ))}
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function Allowed({ route }: { route: PageRoute }) {
  const { page: Shown, permission } = route;
  const page = (
    <ErrorBoundary fallback={<Failed />}>
      <Suspense fallback={<Loading />}>
        <Shown />
      </Suspense>
    </ErrorBoundary>
  );
  return permission === 'platform' ? page : <ForUser route={route}>{page}</ForUser>;
}

function ForUser({ route, children }: { route: PageRoute; children: ReactNode }) {
  const texts = useFrameTexts();
  const found = barrier(useSession(), route);
  if (found === null) return children;
  const code = found === 'company' ? null : found.permission;
  const title = code === null ? texts.notForCompany : texts.needsPermission(texts.permissionNames[code]);
  return (
    <Page title={title} heading={<span title={code ?? undefined}>{title}</span>}>
      <EmptyState action={<ButtonLink href="/">{texts.backHome}</ButtonLink>}>
        {found !== 'company' && texts.needsPermissionHint}
      </EmptyState>
    </Page>
  );
}

function Loading() {
  return (
    <Page title="">
      <Skeleton />
    </Page>
  );
}

function Failed() {
  return (
    <Page title="">
      <ErrorState error={null} onRetry={() => location.reload()} />
    </Page>
  );
}

function NotFound() {
  const texts = useFrameTexts();
  return (
    <Page title={texts.notFound}>
      <EmptyState action={<ButtonLink href="/">{texts.backHome}</ButtonLink>}>{texts.notFoundHint}</EmptyState>
    </Page>
  );
}
