import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';

/** `return_to`: the path of this host to come back to. */
type Start = { email?: string; company?: string; return_to?: string };

const start = (body: Start) => call(ts.POST('/auth/sso/start', { body }));

/** Goes to the provider of a user who has entered the address here. */
export function useStartSso() {
  return useMutation({
    meta: { isSignIn: true },
    mutationFn: start,
    onSuccess: ({ url }) => location.assign(url),
  });
}

/** Company and provider of a sign-in that a link asks for, once for this page. */
export function useAskedSso(asked: Start) {
  const once = { retry: false, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 };
  return useQuery({ queryKey: ['sso-start', asked], queryFn: () => start(asked), ...once });
}
