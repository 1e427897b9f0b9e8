import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { queryClient } from '../../api/query.ts';

export type SingleSignOn = TsSchemas['SingleSignOn'];
export type Given = Pick<SingleSignOn, 'issuer' | 'client_id' | 'allowed_domains' | 'password_login'> & {
  default_permissions: Granted[];
  /** Missing: the stored one stays. */
  client_secret?: string;
};
export type Granted = SingleSignOn['default_permissions'][number];

const path = '/company/sso';
const key = ['single-sign-on'];

/** Null: the company has none. */
export function useSingleSignOn() {
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call<SingleSignOn | null>(ts.GET(path, { signal })).catch(nullIfNotSet),
  });
}

function nullIfNotSet(error: unknown): null {
  if (error instanceof ApiError && error.code === 'sso_not_set') return null;
  throw error;
}

export function useSetSingleSignOn() {
  return useMutation({
    mutationFn: (body: Given) => call(ts.PUT(path, { body })),
    onSuccess: (stored) => queryClient.setQueryData(key, stored),
  });
}

export function useEndSingleSignOn() {
  return useMutation({
    mutationFn: () => call(ts.DELETE(path)),
    onSuccess: () => queryClient.setQueryData(key, null),
  });
}

/** Where the provider sends browsers back to. Before anything is stored the API does not say it. */
export function callbackOf(stored: SingleSignOn | null, companyId: string): string {
  return stored?.callback_url ?? `${location.origin}/auth/sso/callback/${companyId}`;
}

/** Parses domains as people write them: one per line or with commas, perhaps with an `@`. */
export function domainsIn(text: string): string[] {
  const domains = text.split(/[\s,;]+/).map((domain) => domain.replace(/^@/, '').toLowerCase());
  return [...new Set(domains.filter(Boolean))];
}

/**
 * The error with its faults at the fields where they are corrected: a fault of a domain names the
 * domain, and a missing password is a fault of the choice that needs one.
 */
export function atItsFields(error: unknown, domains: string[]): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'password_missing') {
    return new ApiError(error.message, {
      status: 422,
      code: error.code,
      faults: [{ path: 'password_login', message: error.code }],
    });
  }
  const faults = error.faults.map((fault) => {
    const domain = domains[Number(/^allowed_domains\.(\d+)$/.exec(fault.path)?.[1])];
    if (domain === undefined) return fault;
    return { path: 'allowed_domains', message: fault.message.replace(/^allowed_domains\S*/, `“${domain}”`) };
  });
  return new ApiError(error.message, { ...error, faults });
}
