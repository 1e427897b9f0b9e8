import { type RefObject, useEffect, useRef } from 'react';

const forms = new Set<() => boolean>();

/** Whether text was entered in a form and not sent. */
export function hasUnsavedText(): boolean {
  return [...forms].some((isUnsaved) => isUnsaved());
}

/** Has the browser ask before it closes or reloads the tab while such text would be lost. */
export function askBeforeUnload(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (hasUnsavedText()) event.preventDefault();
  };
  window.addEventListener('beforeunload', ask);
  return () => window.removeEventListener('beforeunload', ask);
}

/** @returns whether something was entered since the form was sent, for the form to note; not sent is also what failed */
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
