import { EnglishText } from '../../../components/error-text.tsx';
import { ProviderErrorText } from '../../../components/provider-error-text.tsx';
import type { Reason } from '../rules/invoice.ts';
import { useTexts } from '../texts.ts';

/** A placeholder for the words of the API; no text contains it. */
const place = '\u0000';

/** A reason in the user's language. What it quotes of a person stays as it is; what it quotes of the API is English, and marked as such; what it quotes of a provider is marked as that. */
export function ReasonText({ reason: { code, values } }: { reason: Reason }) {
  const texts = useTexts();
  // The sentence of a person is in whatever language they wrote.
  if (values.text === undefined || code === 'linked') return texts.reasons[code](values);
  const [before = '', after = ''] = texts.reasons[code]({ ...values, text: place }).split(place);
  return (
    <>
      {before}
      {code === 'concluded' && values.text}
      {code === 'feedback_refused' && <ProviderErrorText said={values.text} />}
      {code !== 'concluded' && code !== 'feedback_refused' && <EnglishText>{values.text}</EnglishText>}
      {after}
    </>
  );
}
