import type { TsSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { call, ts } from '../api/client.ts';

export type Session = TsSchemas['CurrentSession'];

export const sessionKey = ['session'] as const;

export function useSessionQuery() {
  return useQuery({
    queryKey: sessionKey,
    queryFn: () => call(ts.GET('/auth/session')),
    staleTime: 60_000,
  });
}

export const SessionContext = createContext<Session | null>(null);

/** The session of the signed-in user. Use it only below `SignedIn`. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession is for pages of who is signed in');
  return session;
}
