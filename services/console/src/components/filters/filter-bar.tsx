import type { ReactNode } from 'react';
import { SettledSearch } from '../forms/field.tsx';
import styles from './filter-bar.module.css';
import { FilterControl, type FilterField, type FilterValues } from './filter-control.tsx';

type Props<Name extends string> = {
  fields: readonly FilterField<Name>[];
  values: FilterValues<Name | 'q'>;
  /** A method, so that it may take less than any text. */
  onChange(change: { [One in Name | 'q']?: string | null }, options?: { replace: boolean }): void;
  /** The name of a search field, which is `q`. */
  search?: string;
  /** What is searched; by default that name. */
  hint?: string;
  /** Buttons behind the filters. */
  children?: ReactNode;
};

/** The filters above a list: each takes effect at once. */
export function FilterBar<Name extends string>({ fields, values, onChange, search, hint, children }: Props<Name>) {
  const change = (name: Name | 'q', value: string | null, options?: { replace: boolean }) =>
    onChange({ [name]: value } as { [One in Name | 'q']?: string | null }, options);
  return (
    <div className={styles['filters']}>
      {search !== undefined && (
        <div className={styles['search']}>
          <SettledSearch
            label={search}
            placeholder={hint ?? search}
            value={values.q ?? ''}
            onSearch={(q) => change('q', q === '' ? null : q, { replace: true })}
          />
        </div>
      )}
      {fields.map((field) => (
        <FilterControl
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(value) => change(field.name, value)}
        />
      ))}
      {children}
    </div>
  );
}
