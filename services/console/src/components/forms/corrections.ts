import { createContext, use } from 'react';

/**
 * Tells the form that the field of this name was changed, so that its error is no longer shown.
 * Needed for fields that are chosen: the form notices typing by itself.
 */
export const Corrections = createContext<(field: string) => void>(() => undefined);

/** The `onChange` of a field that is chosen; it also removes the error of the field. */
export function useCorrecting<Value>(name: string | undefined, onChange?: (value: Value) => void) {
  const correct = use(Corrections);
  return (value: Value) => {
    if (name !== undefined) correct(name);
    onChange?.(value);
  };
}
