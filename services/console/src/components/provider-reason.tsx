import { useFrameTexts, useLocale } from '../i18n/locale.tsx';
import { providerAnswer } from '../words/provider-answer.ts';
import { reasonInFrench } from '../words/provider-reasons.fr.ts';
import { capitalized, EnglishText } from './error-text.tsx';

/**
 * Why a call to a provider failed, in the user's language. What the provider itself says stands in quotation marks, as it
 * is: nobody knows in which language.
 */
export function ProviderReason({ said }: { said: string }) {
  const { language } = useLocale();
  const texts = useFrameTexts();
  const answer = providerAnswer(said);
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
  return (language === 'fr' ? reasonInFrench(said) : undefined) ?? <EnglishText>{capitalized(said)}</EnglishText>;
}
