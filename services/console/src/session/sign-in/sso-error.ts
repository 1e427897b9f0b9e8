const faults = ['unavailable', 'expired', 'failed', 'refused', 'another_user'] as const;

/** Why a sign-in at the company's provider returned without a new session; `search`: of the address it returned to. */
export function ssoError(search: string | undefined): (typeof faults)[number] | undefined {
  const given = new URLSearchParams(search).get('sso_error');
  return faults.find((one) => one === given);
}
