import { EnglishText } from '../../../../components/error-text.tsx';
import { lastErrorWords } from '../../deliveries/attempt-words.ts';
import { useTexts } from '../../texts.ts';

/** Why an endpoint fails. A sentence of the API that is not known here is shown in English. */
export function LastError({ said }: { said: string }) {
  const texts = useTexts();
  return lastErrorWords(said, texts) ?? <EnglishText>{said}</EnglishText>;
}
