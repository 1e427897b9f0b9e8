import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, ts } from '../api/client.ts';
import { optional, queryClient } from '../api/query.ts';
import { type Language, localeOf, useLocale } from '../i18n/locale.tsx';

const preferencesKey = ['preferences'] as const;

/** `views`: what pages store for a user, by the name of their area; at most 16 KB in all. */
export type Preferences = { locale: string | null; time_zone: string | null; views: Record<string, unknown> };

async function read(): Promise<Preferences> {
  return (await call(ts.GET('/auth/preferences'))) as Preferences;
}

export function usePreferences() {
  return useQuery({ queryKey: preferencesKey, queryFn: read, staleTime: 300_000, ...optional });
}

/** Changes some preferences: the API only replaces all at once, so the others are sent again. */
export function useChangePreferences() {
  return useMutation({
    mutationFn: async (change: Partial<Preferences>) => {
      const body = { ...(await read()), ...change } as Preferences & { views: Record<string, never> };
      return (await call(ts.PUT('/auth/preferences', { body }))) as Preferences;
    },
    onSuccess: (saved) => queryClient.setQueryData(preferencesKey, saved),
  });
}

/** Applies the language of the user's preferences, which may have been chosen on another machine. */
export function usePreferredLocale(): void {
  const { data } = usePreferences();
  const { setLanguage, setTimeZone } = useLocale();
  useEffect(() => {
    const language = (Object.keys(localeOf) as Language[]).find((one) => data?.locale?.startsWith(one));
    if (language) setLanguage(language);
    if (data?.time_zone) setTimeZone(data.time_zone);
  }, [data, setLanguage, setTimeZone]);
}
