import { type FormEvent, type ReactNode, useMemo } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { fieldErrors } from '../api/errors.ts';
import styles from './field.module.css';
import { ErrorNote } from './states.tsx';

type FormProps = {
  children: ReactNode;
  /** Buttons, below on the right. */
  actions: ReactNode;
  onSubmit: (values: FormData) => void;
  /** Of the mutation: 422 is shown at its fields, anything else above the buttons. */
  error: unknown;
};

/** A form whose fields keep their values themselves: they are read when it is sent. */
export function Form({ children, actions, onSubmit, error }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  // Another object would bring back the faults of fields that were changed since, and they bar the form from being sent.
  const faults = useMemo(() => fieldErrors(error), [error]);
  return (
    <AriaForm className={styles['form'] as string} onSubmit={submit} {...listening} validationErrors={faults}>
      {children}
      <ErrorNote error={error} />
      <div className={styles['actions']}>{actions}</div>
    </AriaForm>
  );
}

/**
 * A fault goes when its field is typed in. React Aria takes it away when the field is left: the button that is being pressed then
 * moves away under the pointer, and nothing is sent.
 */
function takeFaultAway({ target }: FormEvent): void {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isField && target.validity.customError) target.dispatchEvent(new Event('change'));
}

/** Passed on to the element, though React Aria's type does not say so. */
const listening: object = { onInput: takeFaultAway };

/** The text of a field, trimmed; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
