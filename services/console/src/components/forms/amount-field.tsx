import type { ComponentProps } from 'react';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { readingsOf } from './amount.ts';
import { Field } from './field.tsx';

/** A field for an amount. If that may mean two, it says which, and its form is not sent. */
export function AmountField(props: Omit<ComponentProps<typeof Field>, 'validate' | 'inputMode'>) {
  const texts = useFrameTexts();
  const { locale } = useLocale();
  const validate = (text: string) => {
    const format = new Intl.NumberFormat(locale, { minimumFractionDigits: 2, maximumFractionDigits: 3 });
    const [one, other] = readingsOf(text).map((reading) => format.format(Number(reading)));
    return one && other ? texts.unclearAmount(one, other) : null;
  };
  return <Field {...props} inputMode="decimal" validate={validate} />;
}
