/** The address that asks for a sign-in at the provider of a company, and then returns to `path` of the console. */
export function ssoStartUrl(company: string, path: string): string {
  return `${location.origin}/auth/sso/start?${new URLSearchParams({ company, return_to: returnTo(path) })}`;
}

export function returnTo(path: string): string {
  return `/console${path === '/' ? '' : path}`;
}
