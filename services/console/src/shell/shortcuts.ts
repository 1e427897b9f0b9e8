import { useEffect, useRef } from 'react';
import { shortcutsAreOn } from '../settings/shortcuts-setting.ts';

/** `j`, `?`, `Enter`, `Escape`, `g i` for one after the other, `mod+k` for Ctrl or ⌘. */
export type Keys = string;
type Shortcut = { keys: Keys; label: string | undefined; run: () => void };

/** There `mod` is ⌘. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);

/** The last registered comes first: a page's own before those of the frame. */
const registered: Shortcut[] = [];
const prefixMs = 1_500;
let prefix: { key: string; until: number } | null = null;

/**
 * A key of the page while the component is shown. `label` lists it in the help. The button that does the same gets
 * `aria-keyshortcuts`. Silent while somebody types, in dialogs and menus, and if it is switched off.
 */
export function useShortcut(keys: Keys, run: () => void, options: { label?: string; isOn?: boolean } = {}): void {
  const { label, isOn = true } = options;
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
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

const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], [role=spinbutton]';
const overlays = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox][data-focused]';
/** They have a meaning of their own for this key. */
const takesEnter = 'a, button, summary, [role=button], [role=link], [role=tab], [role=menuitem], [role=switch]';

const mayRepeat = ['j', 'k'];

/** Once, for the whole tab. In the capturing phase, since grids look for a row by the letters that are typed. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const found = findShortcut(event);
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    found.run();
  };
  window.addEventListener('keydown', onKey, { capture: true });
  return () => window.removeEventListener('keydown', onKey, { capture: true });
}

function findShortcut(event: KeyboardEvent): Shortcut | undefined {
  const { key, target, repeat } = event;
  if (event.isComposing || event.altKey) return undefined;
  if (event.ctrlKey || event.metaKey) {
    return repeat ? undefined : registered.find(({ keys }) => keys === `mod+${key.toLowerCase()}`);
  }
  // A key that is held walks through rows, and does nothing else again and again.
  if (repeat && !mayRepeat.includes(key)) return undefined;
  const element = target instanceof Element ? target : document.body;
  if (!shortcutsAreOn() || element.closest(typing) || document.querySelector(overlays)) return undefined;
  if (key === 'Enter' && element.closest(takesEnter)) return undefined;
  const before = prefix !== null && prefix.until > Date.now() ? prefix.key : null;
  prefix = null;
  if (before !== null) return registered.find(({ keys }) => keys === `${before} ${key}`);
  if (registered.some(({ keys }) => keys.startsWith(`${key} `))) prefix = { key, until: Date.now() + prefixMs };
  return registered.find(({ keys }) => keys === key);
}
