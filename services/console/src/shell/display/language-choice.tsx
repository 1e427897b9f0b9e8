import { RadioGroup } from '../../components/forms/radio.tsx';
import { type Language, useFrameTexts, useLocale } from '../../i18n/locale.tsx';

export const languageNames: Record<Language, string> = { en: 'English', fr: 'Français' };

/** Chooses the language; each is named in itself. `onChange`: to store the choice elsewhere, too. */
export function LanguageChoice({ onChange }: { onChange?: (language: Language) => void }) {
  const texts = useFrameTexts();
  const { language, setLanguage } = useLocale();
  return (
    <RadioGroup
      label={texts.language}
      look="row"
      value={language}
      options={(Object.keys(languageNames) as Language[]).map((id) => ({ id, text: languageNames[id] }))}
      onChange={(chosen) => {
        setLanguage(chosen as Language);
        onChange?.(chosen as Language);
      }}
    />
  );
}
