import { EnglishText } from '../../../../components/error-text.tsx';
import { lastErrorWords } from '../../deliveries/attempt-words.ts';
import { useTexts } from '../../texts.ts';

/** Why an endpoint fails; what is not known here, as the API says it, in English. */
export function LastError({ said }: { said: string }) {
  const texts = useTexts();
  return lastErrorWords(said, texts) ?? <EnglishText>{said}</EnglishText>;
}
