import { useEffect } from 'react';
import type { AroundNavHandler } from 'wouter';
import { askBeforeUnload, hasUnsavedText } from '../../components/forms/unsaved-text.ts';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { externalValue, useExternalValue } from '../../settings/external-value.ts';

/**
 * Goes on to the other page, once the user has agreed to lose what they entered; null: nothing is
 * asked.
 */
const going = externalValue<(() => void) | null>(null);
/** Whether `LeaveQuestion` is mounted, which asks. It is not on the pages of the sign-in. */
let isAsking = false;

/** For wouter's `aroundNav`: every navigation, by link or by key, passes through it. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  const go = () => navigate(to, options);
  if (isAsking && hasUnsavedText() && leavesForms(to)) going.set(go);
  else go();
};

/** Tells that the user has agreed to leave. */
const agreed = 'agreed';

/**
 * Back and Forward within the console. Where a browser cannot hold them up, and after a second one without a press or
 * a key between, they lead away unasked.
 */
function askBeforeTraversal(): () => void {
  const ask = (event: NavigateEvent) => {
    const { url, key } = event.destination;
    if (event.navigationType !== 'traverse' || !event.cancelable || event.info === agreed) return;
    if (!hasUnsavedText() || !leavesForms(url)) return;
    event.preventDefault();
    going.set(() => void navigation.traverseTo(key, { info: agreed }));
  };
  if (!('navigation' in window)) return () => undefined;
  navigation.addEventListener('navigate', ask);
  return () => navigation.removeEventListener('navigate', ask);
}

/**
 * Whether the navigation removes the forms of the page. Filters and selections change only other
 * parts of the address.
 */
function leavesForms(to: string): boolean {
  const next = new URL(to, location.href);
  const tabOf = (url: string) => new URL(url).searchParams.get('tab');
  return next.pathname !== location.pathname || tabOf(next.href) !== tabOf(location.href);
}

/** Asks before text that was entered and not sent is lost: within the console by a dialog, otherwise by the browser's. */
export function LeaveQuestion() {
  const texts = useFrameTexts();
  const go = useExternalValue(going);
  useEffect(askBeforeUnload, []);
  useEffect(askBeforeTraversal, []);
  useEffect(() => {
    isAsking = true;
    return () => {
      isAsking = false;
      going.set(null);
    };
  }, []);
  const leave = () => {
    going.set(null);
    go?.();
  };
  return (
    <AlertDialog
      title={texts.leaveTitle}
      confirm={texts.leave}
      isOpen={go !== null}
      onConfirm={leave}
      onOpenChange={(isOpen) => !isOpen && going.set(null)}
    >
      {texts.leaveText}
    </AlertDialog>
  );
}
