import { deviceLifetimeMs } from './known-device.ts';
import { sessionLifetimeMs } from './session.ts';

type Cookie = { httpOnly: true; sameSite: 'lax'; path: '/'; secure: boolean };
type Response = {
  cookie(name: string, value: string, options: Cookie & { maxAge: number }): unknown;
  clearCookie(name: string, options: Cookie): unknown;
};
/** `secureCookie`: false only if the second API is served over plain http. */
type Deps = { secureCookie: boolean };

export function setSessionCookie(res: Response, token: string, deps: Deps): void {
  res.cookie(nameOf('session', deps), token, { ...optionsOf(deps), maxAge: sessionLifetimeMs });
}

export function setDeviceCookie(res: Response, token: string, deps: Deps): void {
  res.cookie(nameOf('device', deps), token, { ...optionsOf(deps), maxAge: deviceLifetimeMs });
}

export function clearSessionCookie(res: Response, deps: Deps): void {
  res.clearCookie(nameOf('session', deps), optionsOf(deps));
}

/** Browsers accept `__Host-` only from the host itself, and over https. */
function nameOf(name: string, { secureCookie }: Deps): string {
  return secureCookie ? `__Host-${name}` : name;
}

function optionsOf({ secureCookie }: Deps): Cookie {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: secureCookie };
}
