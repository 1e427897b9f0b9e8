import { useFrameTexts } from '../../i18n/locale.tsx';
import { readingsOf } from '../forms/amount.ts';
import { AmountField } from '../forms/amount-field.tsx';
import { ComboBox, type Option, Select } from '../forms/choice.tsx';
import { Field } from '../forms/field.tsx';
import { textOf } from '../forms/form.tsx';

/**
 * A filter of a list. `choice`: one of a few `options`, or `unset`, by default any. `lookup`: one of many; undefined until they
 * are loaded.
 */
export type FilterField<Name extends string = string> = { name: Name; label: string } & (
  | { kind: 'choice'; options: readonly Option[]; unset?: string }
  | { kind: 'lookup'; options: readonly Option[] | undefined }
  | { kind: 'day' | 'amount' | 'text' }
);

export type FilterValues<Name extends string = string> = { [One in Name]?: string | undefined };

const any = 'any';

type Props = {
  field: FilterField;
  value: string | undefined;
  /** Takes effect at once; without it the control is a field of a form. Null: no filter. */
  onChange?: (value: string | null) => void;
};

export function FilterControl({ field, value, onChange }: Props) {
  if (field.kind === 'choice') return <ChoiceControl field={field} value={value} onChange={onChange} />;
  if (field.kind === 'lookup') return <LookupControl field={field} value={value} onChange={onChange} />;
  const Control = field.kind === 'amount' ? AmountField : Field;
  const state = onChange
    ? { value: value ?? '', onChange: (text: string) => onChange(text === '' ? null : text) }
    : { name: field.name, defaultValue: value ?? '' };
  return <Control label={field.label} type={field.kind === 'day' ? 'date' : 'text'} maxLength={100} {...state} />;
}

type Of<Kind> = {
  field: Extract<FilterField, { kind: Kind }>;
  value: string | undefined;
  onChange: Props['onChange'];
};

function ChoiceControl({ field: { name, label, options, unset = any }, value = unset, onChange }: Of<'choice'>) {
  const texts = useFrameTexts();
  const all = unset === any ? [{ id: any, text: texts.any }, ...options] : options;
  const state = onChange
    ? { value, onChange: (id: unknown) => onChange(id === unset ? null : String(id)) }
    : { name, defaultValue: value };
  return <Select label={label} options={all} {...state} />;
}

/** Empty: any. An id of the address that is no option is shown as no longer listed. */
function LookupControl({ field: { name, label, options }, value, onChange }: Of<'lookup'>) {
  const texts = useFrameTexts();
  const isGone = options !== undefined && value !== undefined && options.every(({ id }) => id !== value);
  const shown = [...(options ?? []), ...(isGone ? [{ id: value, text: texts.noLongerListed }] : [])];
  const select = (id: unknown) => (id ?? undefined) !== value && onChange?.(id === null ? null : String(id));
  const state = onChange
    ? { selectedKey: value ?? null, onSelectionChange: select }
    : { name, defaultSelectedKey: value ?? null };
  return <ComboBox label={label} placeholder={texts.any} options={shown} {...state} />;
}

/** What a form of such controls says; without those that are unset. */
export function filterOf<Name extends string>(
  fields: readonly FilterField<Name>[],
  values: FormData,
): FilterValues<Name> {
  const found = fields.flatMap((field): [Name, string][] => {
    const text = textOf(values, field.name);
    const value = field.kind === 'amount' ? readingsOf(text ?? '')[0] : text;
    const isUnset = value === undefined || (field.kind === 'choice' && value === (field.unset ?? any));
    return isUnset ? [] : [[field.name, value]];
  });
  return Object.fromEntries(found) as FilterValues<Name>;
}
