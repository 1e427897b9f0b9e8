import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Form as AriaForm } from 'react-aria-components';
import { fieldErrors } from '../../api/errors.ts';
import { ErrorNote } from '../states.tsx';
import { readingsOf } from './amount.ts';
import { Corrections } from './corrections.ts';
import styles from './field.module.css';
import { FormActions, type FormButtons } from './form-actions.tsx';
import { useUnsavedText } from './unsaved-text.ts';

type FormProps = FormButtons & {
  children: ReactNode;
  onSubmit: (values: FormData) => void;
  /** The mutation that sends it: a 422 is shown at its fields, any other error above the buttons. Without it nothing is sent. */
  sending?: { error: unknown; isPending: boolean };
};

/** Selects what gets the focus in a field with an error. */
const faulty = ['input', 'textarea', 'button'].map((tag) => `[data-invalid] ${tag}:not([type=hidden])`).join();

/**
 * A form with uncontrolled fields: their values are read when it is submitted. Only the API validates, but for amounts that may
 * mean two (`AmountField`). The first field
 * with an error gets the focus. An error goes as soon as its field changes: if it went on blur, the buttons would move
 * away under the pointer that presses one.
 */
export function Form({ children, onSubmit, sending = { error: null, isPending: false }, ...buttons }: FormProps) {
  const { error, isPending } = sending;
  const [corrected, setCorrected] = useState<Corrected>({ error: null, fields: [] });
  const faults = useMemo(() => {
    const all = Object.entries(fieldErrors(error));
    return Object.fromEntries(all.filter(([field]) => corrected.error !== error || !corrected.fields.includes(field)));
  }, [error, corrected]);
  const form = useRef<HTMLFormElement>(null);
  const isEntered = useUnsavedText(form, error);
  useEffect(() => {
    if (Object.keys(fieldErrors(error)).length > 0) form.current?.querySelector<HTMLElement>(faulty)?.focus();
  }, [error]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const unclear = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input[inputmode=decimal]')].find(
      ({ value }) => readingsOf(value).length > 1,
    );
    if (unclear) return unclear.focus();
    isEntered.current = false;
    onSubmit(new FormData(event.currentTarget));
  };
  const correct = (name: string) => {
    isEntered.current = true;
    if (name in faults) setCorrected({ error, fields: [...(corrected.error === error ? corrected.fields : []), name] });
  };
  return (
    <AriaForm ref={form} validationBehavior="aria" validationErrors={faults} onSubmit={submit}>
      <div className={styles['form']} onInput={({ target }) => correct(nameOf(target as HTMLInputElement))}>
        <Corrections value={correct}>{children}</Corrections>
        <ErrorNote error={error} />
        <div className={styles['actions']}>
          <FormActions {...buttons} isPending={isPending} />
        </div>
      </div>
    </AriaForm>
  );
}

/**
 * The name of a field by its input. The input of a combo box has no name: a hidden input beside it
 * does.
 */
function nameOf(input: HTMLInputElement): string {
  if (input.name) return input.name;
  return input.closest(`.${styles['field']}`)?.querySelector<HTMLInputElement>('input[type=hidden]')?.name ?? '';
}

/** The fields that were changed since that error was shown. */
type Corrected = { error: unknown; fields: string[] };

export { textOf } from './form-values.ts';
