import { useCallback } from 'react';
import { useSearchParams } from 'wouter';
import { longestText } from '../api/search-text.ts';

/** The allowed values of each name: a list, or a test. Other values are ignored. */
type Allowed = Record<string, readonly string[] | ((value: string) => boolean)>;
type Values<A extends Allowed> = {
  [Name in keyof A]?: A[Name] extends readonly (infer Value)[] ? Value : string;
};

/** An id, as both APIs make them. */
export const isId = (value: string) => /^[0-9a-f]{24}$/.test(value);

/** An amount, with a dot. */
export const isAmount = (value: string) => /^-?\d{1,12}(\.\d{1,4})?$/.test(value);

/** Any text of a reasonable length. */
export const anyText = (value: string) => value.length > 0 && value.length <= longestText;

/** What an address says, as far as it is allowed. */
export function valuesIn<const A extends Allowed>(params: URLSearchParams, allowed: A): Values<A> {
  const values: Record<string, string> = {};
  for (const [name, test] of Object.entries(allowed)) {
    const value = params.get(name);
    if (value !== null && (typeof test === 'function' ? test(value) : test.includes(value))) values[name] = value;
  }
  return values as Values<A>;
}

/**
 * State of a page that is kept in the address: filters, tab, selection. A choice adds an entry to the browser's
 * history, typing does not (`set({ q }, { replace: true })`). `null` removes a value.
 */
export function useUrlState<const A extends Allowed>(allowed: A) {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (change: { [Name in keyof A]?: Values<A>[Name] | null }, options: { replace?: boolean } = {}) => {
      setParams(() => {
        // Not what was rendered: another effect may have changed the address since.
        const next = new URLSearchParams(window.location.search);
        for (const [name, value] of Object.entries(change)) {
          if (value === null || value === undefined || value === '') next.delete(name);
          else next.set(name, String(value));
        }
        return next;
      }, options);
    },
    [setParams],
  );
  return [valuesIn(params, allowed), set] as const;
}
