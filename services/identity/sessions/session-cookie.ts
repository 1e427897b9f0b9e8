import { sessionLifetimeMs } from './session.ts';

type Cookie = { httpOnly: true; sameSite: 'lax'; path: '/'; secure: boolean };
type Response = {
  cookie(name: string, value: string, options: Cookie & { maxAge: number }): unknown;
  clearCookie(name: string, options: Cookie): unknown;
};
/** `secureCookie`: false only if the second API is served over plain http. */
type Deps = { secureCookie: boolean };

export function setSessionCookies(res: Response, token: string, deps: Deps): void {
  for (const name of namesOf(deps)) res.cookie(name, token, { ...optionsOf(deps), maxAge: sessionLifetimeMs });
}

export function clearSessionCookies(res: Response, deps: Deps): void {
  for (const name of namesOf(deps)) res.clearCookie(name, optionsOf(deps));
}

/**
 * The names of the cookie. Browsers accept `__Host-` only from the host itself and over https; the gateway prefers
 * it.
 */
function namesOf({ secureCookie }: Deps): string[] {
  return secureCookie ? ['session', '__Host-session'] : ['session'];
}

function optionsOf({ secureCookie }: Deps): Cookie {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookie };
}
