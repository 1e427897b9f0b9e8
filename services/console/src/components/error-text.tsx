import { Fragment } from 'react';
import { ApiError, isConcurrentChange, isSoonTaken } from '../api/errors.ts';
import { formatAgo } from '../i18n/format.ts';
import { type Language, useFrameTexts, useLocale } from '../i18n/locale.tsx';
import { en } from '../words/error-texts.en.ts';
import { fr } from '../words/error-texts.fr.ts';
import { faultInFrench } from '../words/fault-texts.fr.ts';

const errorTexts: Record<Language, Record<string, string>> = { en, fr };

/** Why something failed, in the user's language: by the code of the error, else in the words of the API, which are English. */
export function ErrorText({ error }: { error: unknown }) {
  const texts = useFrameTexts();
  const textsByCode = errorTexts[useLocale().language];
  if (!(error instanceof ApiError)) return texts.notDone;
  if (error.status === 0) return texts.noAnswer;
  if (error.status >= 502 && error.status <= 504) return texts.unavailable;
  return (
    <>
      {isConcurrentChange(error) && <strong>{texts.conflict}. </strong>}
      {Object.hasOwn(textsByCode, error.code) ? (
        textsByCode[error.code]
      ) : (
        <EnglishText>{`${capitalized(error.message).replace(/[.!?]$/, '')}.`}</EnglishText>
      )}
      {error.status === 429 && !isSoonTaken(error) && <PossibleAgain afterS={error.retryAfterS ?? 0} />}
      {error.faults.map(({ path, message }) => (
        <Fragment key={path}>
          {' '}
          <FaultText said={message} />.
        </Fragment>
      ))}
    </>
  );
}

/** In whole minutes, and not too early. */
function PossibleAgain({ afterS }: { afterS: number }) {
  const texts = useFrameTexts();
  const { locale } = useLocale();
  const now = new Date();
  const at = new Date(now.getTime() + Math.ceil(afterS / 60) * 60_000);
  return afterS > 0 && ` ${texts.possibleAgain(formatAgo(at, { locale, now }))}`;
}

/** What is wrong with a field, in the user's language: `said` is a code, or what the API says, which is English. */
export function FaultText({ said }: { said: string }) {
  const { language } = useLocale();
  const textsByCode = errorTexts[language];
  if (Object.hasOwn(textsByCode, said)) return textsByCode[said];
  const text = language === 'fr' ? faultInFrench(said) : undefined;
  return text ?? <EnglishText>{capitalized(said)}</EnglishText>;
}

/** What the API says in words, which are English, so that a screen reader speaks them as such. */
export function EnglishText({ children }: { children: string }) {
  return <span lang="en">{children}</span>;
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
