import { useLayoutEffect, useRef } from 'react';
import { shortcutsAreOn } from '../../settings/shortcuts-setting.ts';
import { keyOf } from './pressed-key.ts';

/** `j`, `?`, `Enter`, `Escape`, `g i` for one after the other, `mod+k` for Ctrl or ⌘. */
export type Keys = string;
type Shortcut = { keys: Keys; label: string | undefined; run: () => void };

type Options = { label?: string; isOn?: boolean };

/** On Apple's systems `mod` is ⌘. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** The last registered comes first: shortcuts of a page take precedence over those of the shell. */
const registered: Shortcut[] = [];
const prefixMs = 1_500;
let prefix: { key: string; until: number } | null = null;

/**
 * Registers a shortcut while the component is mounted. `label` lists it in the help; give the button with the same
 * action `aria-keyshortcuts`. It is ignored while the user types, in dialogs and menus, and if shortcuts are switched
 * off.
 */
export function useShortcut(keys: Keys, run: () => void, options: Options = {}): void {
  const { label, isOn = true } = options;
  const latest = useRef(run);
  // Before it is drawn: what is seen may be pressed at once, on a busy machine, too.
  useLayoutEffect(() => {
    latest.current = run;
  });
  useLayoutEffect(() => {
    if (!isOn) return;
    const shortcut = { keys, label, run: () => latest.current() };
    registered.unshift(shortcut);
    return () => void registered.splice(registered.indexOf(shortcut), 1);
  }, [keys, label, isOn]);
}

/** Those that pages have registered with a label, as the help lists them. */
export function pageShortcuts(): { keys: Keys; label: string }[] {
  return registered.flatMap(({ keys, label }) => (label === undefined ? [] : [{ keys, label }])).reverse();
}

/** Whether the key now does what every page has it for, such as `j` for the next row. */
export function isUnlabelled(keys: Keys): boolean {
  const found = registered.find((one) => one.keys === keys);
  return found !== undefined && found.label === undefined;
}

const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=spinbutton]';
const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-focused]';
/** Elements that handle Enter themselves, if the user has moved to them by keyboard. */
const takesEnter = 'a, button, summary, [role=button], [role=link], [role=tab], [role=menuitem], [role=switch]';
/**
 * What was focused by keyboard and not left by a shortcut since. What was clicked keeps the focus, unseen: Enter is then
 * for the page.
 */
let movedTo: EventTarget | null = null;

const mayRepeat = ['j', 'k'];

/**
 * Listens for keys; call it once for the whole tab. It listens in the capturing phase, since grids search rows by the
 * typed letters.
 */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const found = findShortcut(event);
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    movedTo = null;
    found.run();
  };
  const onFocus = ({ target }: FocusEvent) => {
    movedTo = target instanceof Element && target.matches(':focus-visible') ? target : null;
  };
  window.addEventListener('keydown', onKey, { capture: true });
  window.addEventListener('focusin', onFocus);
  return () => {
    window.removeEventListener('keydown', onKey, { capture: true });
    window.removeEventListener('focusin', onFocus);
  };
}

function findShortcut(event: KeyboardEvent): Shortcut | undefined {
  const { target, repeat } = event;
  // React Aria repeats what is typed into a field at the suggestion below it.
  if (event.isComposing || event.altKey || !event.isTrusted) return undefined;
  if (event.ctrlKey || event.metaKey) {
    return repeat ? undefined : registered.find(({ keys }) => keys === `mod+${event.key.toLowerCase()}`);
  }
  const key = keyOf(event, (typed) => registered.some(({ keys }) => keys.split(' ').includes(typed)));
  // A held key repeats only steps through rows.
  if (repeat && !mayRepeat.includes(key)) return undefined;
  const element = target instanceof Element ? target : document.body;
  if (!shortcutsAreOn() || element.closest(typing) || document.querySelector(overlays)) return undefined;
  if (key === 'Enter' && element === movedTo && element.closest(takesEnter)) return undefined;
  const before = prefix !== null && prefix.until > event.timeStamp ? prefix.key : null;
  prefix = null;
  if (before !== null) return registered.find(({ keys }) => keys === `${before} ${key}`);
  if (registered.some(({ keys }) => keys.startsWith(`${key} `))) prefix = { key, until: event.timeStamp + prefixMs };
  return registered.find(({ keys }) => keys === key);
}
