import type { ComponentProps } from 'react';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { readAmount } from './amount.ts';
import { Field } from './field.tsx';

/** A field for an amount. If what is typed is not clear, it says what was understood, and the form is not sent. */
export function AmountField(props: Omit<ComponentProps<typeof Field>, 'validate' | 'inputMode'>) {
  const texts = useFrameTexts();
  const { locale } = useLocale();
  const shown = (decimal: string) =>
    new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 3 }).format(Number(decimal));
  const validate = (text: string) => {
    const read = readAmount(text);
    if (text.trim() === '' || read.isClear) return null;
    const [one, other] = read.readings.map(shown);
    return one === undefined ? texts.noAmount : texts.unclearAmount(one, other ?? one);
  };
  return <Field {...props} inputMode="decimal" validate={validate} />;
}
