import { ApiError, isConcurrentChange } from '../api/errors.ts';
import { textsIn, useFrameTexts } from '../i18n/locale.tsx';
import { en } from '../words/error-texts.en.ts';
import { fr } from '../words/error-texts.fr.ts';

export const useErrorTexts = textsIn({ en, fr });

/** Why something failed, in the user's language: by the code of the error, else in the words of the API, which are English. */
export function ErrorText({ error }: { error: unknown }) {
  const texts = useFrameTexts();
  const textsByCode: Record<string, string> = useErrorTexts();
  if (!(error instanceof ApiError)) return texts.notDone;
  if (error.status === 0) return texts.noAnswer;
  if (error.status >= 502 && error.status <= 504) return texts.unavailable;
  return (
    <>
      {isConcurrentChange(error) && <strong>{texts.conflict}. </strong>}
      {Object.hasOwn(textsByCode, error.code) ? (
        textsByCode[error.code]
      ) : (
        <span lang="en">{sentence(error.message)}</span>
      )}
      {error.faults.length > 0 && (
        <span lang="en"> {error.faults.map(({ message }) => sentence(message)).join(' ')}</span>
      )}
    </>
  );
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
