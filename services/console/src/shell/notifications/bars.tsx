import { useEffect, useState, useSyncExternalStore } from 'react';
import { useSearch } from 'wouter';
import { usePartMissingOrStale } from '../../api/query.ts';
import { retryAt } from '../../api/retry-at.ts';
import { Button } from '../../components/button.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { ssoError } from '../../session/sign-in/sso-error.ts';
import { useExternalValue } from '../../settings/external-value.ts';
import styles from '../shell.module.css';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

/** Bars above the page about problems of the whole tab. */
export function Bars() {
  const texts = useFrameTexts();
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const seconds = useSecondsLeft(useExternalValue(retryAt));
  const part = usePartMissingOrStale();
  // A failed sign-in at the provider, tried by somebody who was signed in already, such as an
  // administrator who tests it.
  const fault = ssoError(useSearch());
  return (
    <>
      {!isOnline && (
        <div role="alert" className={styles['bar']} data-screen>
          {texts.offline}
        </div>
      )}
      {seconds > 0 && (
        <div role="alert" className={styles['bar']} data-screen>
          {texts.waiting(seconds)}
        </div>
      )}
      {fault && (
        <div role="alert" className={styles['bar']} data-screen>
          {texts.ssoErrors[fault]}
        </div>
      )}
      {isOnline && part.isMissingOrStale && (
        <div role="alert" className={styles['bar']} data-screen>
          {texts.partFailed} <Button onPress={part.retry}>{texts.retry}</Button>
        </div>
      )}
    </>
  );
}

function useSecondsLeft(until: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (until <= Date.now()) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [until]);
  return Math.max(0, Math.ceil((until - now) / 1000));
}
