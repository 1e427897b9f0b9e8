import { type RefObject, useEffect, useRef } from 'react';
import { useShortcut } from '../../../shell/keyboard/shortcuts.ts';

/** The ticket that was looked at last: back in the list, its row gets the focus. */
let lastShown: string | null = null;

export function noteShown(id: string): void {
  lastShown = id;
}

type Rows = { place: RefObject<HTMLElement | null>; ids: readonly string[]; more: (() => void) | null };

/** `j` and `k` move the focus through the links of the rows of a table; `Enter` opens one. */
export function useRowKeys({ place, ids, more }: Rows): void {
  const step = (by: 1 | -1) => {
    const links = linksIn(place.current);
    const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    const wanted = at < 0 ? (by === 1 ? 0 : links.length - 1) : at + by;
    links[Math.min(Math.max(wanted, 0), links.length - 1)]?.focus();
    if (wanted >= links.length - 1) more?.();
  };
  useShortcut('j', () => step(1));
  useShortcut('k', () => step(-1));
  const isBack = useRef(true);
  useEffect(() => {
    if (!isBack.current || ids.length === 0) return;
    isBack.current = false;
    const at = lastShown === null ? -1 : ids.indexOf(lastShown);
    lastShown = null;
    linksIn(place.current)[at]?.focus();
  });
}

/** The links of the rows, one for each. */
function linksIn(place: HTMLElement | null): HTMLElement[] {
  return [...(place?.querySelectorAll<HTMLElement>('tbody th a') ?? [])];
}
