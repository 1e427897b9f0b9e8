import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, second } from '../api/client.ts';
import { aside } from '../api/query.ts';
import { type Language, localeOf, useLocale } from '../i18n/locale.tsx';

export const preferencesKey = ['preferences'] as const;

/** `views` is what pages keep for a user, under the name of their area. At most 16 KB in all. */
export type Preferences = { locale: string | null; time_zone: string | null; views: Record<string, unknown> };

async function read(): Promise<Preferences> {
  return (await call(second.GET('/auth/preferences'))) as Preferences;
}

export function usePreferences() {
  return useQuery({ queryKey: preferencesKey, queryFn: read, staleTime: 300_000, ...aside });
}

/** Changes some of them: the API replaces all at once. */
export function useChangePreferences() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: Partial<Preferences>) => {
      const body = { ...(await read()), ...change } as Preferences & { views: Record<string, never> };
      return (await call(second.PUT('/auth/preferences', { body }))) as Preferences;
    },
    onSuccess: (saved) => client.setQueryData(preferencesKey, saved),
  });
}

/** The language that was chosen on another machine counts here, too. */
export function usePreferredLocale(): void {
  const { data } = usePreferences();
  const { setLanguage, setTimeZone } = useLocale();
  useEffect(() => {
    const language = (Object.keys(localeOf) as Language[]).find((one) => data?.locale?.startsWith(one));
    if (language) setLanguage(language);
    if (data?.time_zone) setTimeZone(data.time_zone);
  }, [data, setLanguage, setTimeZone]);
}
