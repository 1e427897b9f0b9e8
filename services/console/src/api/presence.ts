import { focusManager } from '@tanstack/react-query';

const goneAfterMs = 15 * 60_000;
const signs = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'visibilitychange'];

/**
 * Repeats no reading once nobody has touched the page for a while: a request is a use of the session, which would never end by idleness.
 * The next touch reads again what is out of date.
 */
export function readOnlyWhilePresent(): void {
  focusManager.setEventListener((setPresent) => {
    let timer = 0;
    const note = () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => setPresent(false), goneAfterMs);
      setPresent(document.visibilityState === 'visible');
    };
    for (const sign of signs) window.addEventListener(sign, note, { capture: true, passive: true });
    note();
    return undefined;
  });
}
