import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { queryClient, sessionExpired } from '../../api/query.ts';
import { forgetActions } from '../actions.ts';
import { type Session, sessionKey } from '../session.ts';

/**
 * Signs in. The answer sets a cookie that scripts cannot read; the request asks for an answer
 * without the token in its body.
 */
export function useSignIn() {
  return useMutation({
    meta: { isSignIn: true },
    mutationFn: async (body: { email: string; password: string }) => {
      await call(ts.POST('/auth/login', { body, headers: { prefer: 'return=minimal' } }));
      return call(ts.GET('/auth/session'));
    },
    onSuccess: resume,
  });
}

/** Stores the new session. After a session that had ended, everything on the page is read again. */
export function resume(session: Session): void {
  queryClient.setQueryData(sessionKey, session);
  if (!sessionExpired.get()) return;
  sessionExpired.set(false);
  void queryClient.invalidateQueries();
}

/** Ends the session and forgets everything that this tab has read. Fails if the session may not have ended. */
export function useSignOut() {
  return useMutation({
    mutationFn: async () => {
      await call(ts.POST('/auth/logout')).catch((error: unknown) => {
        // Signed out already, in another tab.
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
      });
      forgetActions();
      location.assign('/console/login');
    },
  });
}
