/**
 * The address that starts a sign-in at the company's provider; afterwards the browser returns to `path` of the
 * console. The company is found by its id, or by the e-mail address of a user.
 */
export function ssoStartUrl(by: { email: string } | { company: string }, path: string): string {
  const query = new URLSearchParams({ ...by, return_to: `/console${path === '/' ? '' : path}` });
  return `${location.origin}/auth/sso/start?${query}`;
}
