import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { readSetting, writeSetting } from '../settings/browser-settings.ts';
import { en } from './texts.en.ts';
import { fr } from './texts.fr.ts';

export type Language = 'en' | 'fr';

/** BCP 47: with the country, which decides how dates and amounts are written. */
export const localeOf: Record<Language, 'en-GB' | 'fr-FR'> = { en: 'en-GB', fr: 'fr-FR' };

type Locale = {
  language: Language;
  locale: 'en-GB' | 'fr-FR';
  /** IANA, `Europe/Paris`. */
  timeZone: string;
  setLanguage(language: Language): void;
  setTimeZone(timeZone: string): void;
};

const LocaleContext = createContext<Locale | null>(null);

/** The language of this browser: the one chosen in the console, else the browser's own. */
function firstLanguage(): Language {
  const chosen = readSetting('language');
  if (chosen === 'en' || chosen === 'fr') return chosen;
  return navigator.language.startsWith('fr') ? 'fr' : 'en';
}

export function LocaleProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState(firstLanguage);
  const [timeZone, setTimeZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const locale = localeOf[language];
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const setLanguage = useCallback((chosen: Language) => {
    writeSetting('language', chosen);
    choose(chosen);
  }, []);
  const value = useMemo(
    () => ({ language, locale, timeZone, setLanguage, setTimeZone }),
    [language, locale, timeZone, setLanguage],
  );
  return (
    <LocaleContext value={value}>
      <I18nProvider locale={locale}>{children}</I18nProvider>
    </LocaleContext>
  );
}

export function useLocale(): Locale {
  const locale = use(LocaleContext);
  if (!locale) throw new Error('useLocale needs a LocaleProvider above it');
  return locale;
}

type FrameTexts = typeof en;

/** The texts of the frame. */
export function useFrameTexts(): FrameTexts {
  return { en, fr }[useLocale().language];
}

/** A hook that gives the texts of an area, with those of the frame that it does not name otherwise: `textsIn({ en, fr })`. */
export function textsIn<Texts extends object>(
  area: Record<Language, Texts>,
): () => Omit<FrameTexts, keyof Texts> & Texts {
  const all = { en: { ...en, ...area.en }, fr: { ...fr, ...area.fr } };
  return () => all[useLocale().language];
}
