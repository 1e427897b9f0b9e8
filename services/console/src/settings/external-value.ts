import { useSyncExternalStore } from 'react';

/** A value outside React that components subscribe to, for state that the whole tab shares. */
type ExternalValue<T> = { get(): T; set(value: T): void; subscribe(listener: () => void): () => void };

export function externalValue<T>(first: T): ExternalValue<T> {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useExternalValue<T>({ subscribe, get }: ExternalValue<T>): T {
  return useSyncExternalStore(subscribe, get);
}
