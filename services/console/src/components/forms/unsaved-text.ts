import { type RefObject, useEffect, useRef } from 'react';

const forms = new Set<() => boolean>();

/** Whether text was entered in a form and not sent. */
export function hasUnsavedText(): boolean {
  return [...forms].some((isUnsaved) => isUnsaved());
}

/**
 * Makes the browser ask before the tab is closed or reloaded while such text would be lost.
 * @returns a function that ends this
 */
export function askBeforeUnload(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (hasUnsavedText()) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}

/**
 * Registers a form for `hasUnsavedText`. If sending fails (`error`), its text is unsaved again.
 * @returns a flag for the form to set: true if something was entered since it was last sent
 */
export function useUnsavedText(form: RefObject<HTMLFormElement | null>, error: unknown): RefObject<boolean> {
  const isEntered = useRef(false);
  useEffect(() => {
    if (error) isEntered.current = true;
  }, [error]);
  useEffect(() => {
    const isUnsaved = () => isEntered.current && hasText(form.current);
    forms.add(isUnsaved);
    return () => void forms.delete(isUnsaved);
  }, [form]);
  return isEntered;
}

const textFields = 'textarea, input:not([type=hidden], [type=radio], [type=checkbox], [type=file])';

function hasText(form: HTMLFormElement | null): boolean {
  const fields = form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(textFields) ?? [];
  return [...fields].some(({ value }) => value.trim() !== '');
}
