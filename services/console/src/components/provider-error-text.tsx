import { useFrameTexts, useLocale } from '../i18n/locale.tsx';
import { parseProviderRefusal } from '../words/parse-provider-refusal.ts';
import { providerErrorInFrench } from '../words/provider-error-texts.fr.ts';
import { capitalized, EnglishText } from './error-text.tsx';

/**
 * Why a call to a provider failed, in the user's language. What the provider itself says stands in quotation marks, as it
 * is: nobody knows in which language.
 */
export function ProviderErrorText({ said }: { said: string }) {
  const { language } = useLocale();
  const texts = useFrameTexts();
  const answer = parseProviderRefusal(said);
  if (answer) {
    const [before, after] = texts.providerAnswer(answer.status);
    return (
      <>
        {before}
        <span lang="">{answer.words}</span>
        {after}
      </>
    );
  }
  return (
    (language === 'fr' ? providerErrorInFrench(said) : undefined) ?? <EnglishText>{capitalized(said)}</EnglishText>
  );
}

/** The same as a text alone. */
export function useProviderErrorWords(): (said: string) => string {
  const { language } = useLocale();
  const texts = useFrameTexts();
  return (said) => {
    const answer = parseProviderRefusal(said);
    if (answer) return texts.providerAnswer(answer.status).join(answer.words);
    return (language === 'fr' ? providerErrorInFrench(said) : undefined) ?? capitalized(said);
  };
}
