import { createContext, use } from 'react';

/** Tells the form that a field, by its name, was changed: its fault goes. What is typed into, the form hears by itself. */
export const Corrections = createContext<(field: string) => void>(() => undefined);

/** `onChange` of a field that is chosen, which also takes its fault away. */
export function useCorrecting<Value>(name: string | undefined, onChange?: (value: Value) => void) {
  const correct = use(Corrections);
  return (value: Value) => {
    if (name !== undefined) correct(name);
    onChange?.(value);
  };
}
