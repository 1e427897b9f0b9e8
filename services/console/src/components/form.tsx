import type { FormEvent, ReactNode } from 'react';
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
  return (
    <AriaForm className={styles['form'] as string} onSubmit={submit} validationErrors={fieldErrors(error)}>
      {children}
      <ErrorNote error={error} />
      <div className={styles['actions']}>{actions}</div>
    </AriaForm>
  );
}

/** The text of a field, trimmed; undefined if it is empty. */
export function textOf(values: FormData, name: string): string | undefined {
  const value = values.get(name);
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}
