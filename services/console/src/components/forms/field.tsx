import { Search, X } from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import {
  SearchField as AriaSearchField,
  TextField as AriaTextField,
  Button,
  FieldError,
  Input,
  Label,
  type SearchFieldProps,
  Text,
  TextArea,
  type TextFieldProps,
} from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { longestText } from '../../routing/url-state.ts';
import { classes } from '../classes.ts';
import { FaultText } from '../error-text.tsx';
import styles from './field.module.css';

type FieldProps = Omit<TextFieldProps, 'className' | 'children'> & {
  label: string;
  /** Help text below the field. */
  hint?: ReactNode;
  placeholder?: string;
  /** Several lines. */
  isArea?: boolean;
  /** Of fixed width: keys, references. */
  isCode?: boolean;
};

/**
 * Stands behind the label of what may be left empty. It is no part of the field's name: a screen reader says by itself which
 * fields are required.
 */
export function Optional() {
  const texts = useFrameTexts();
  return (
    <span className={styles['optional']} aria-hidden="true">
      {' '}
      {texts.optional}
    </span>
  );
}

/**
 * A text field with its label, and its validation error below. In a `Form` it shows the API's errors for `name`, and is
 * marked as optional unless it `isRequired`.
 */
export function Field({ label, hint, placeholder, isArea = false, isCode = false, ...props }: FieldProps) {
  const className = classes(styles['input'], isArea && styles['area'], isCode && styles['code']);
  return (
    <AriaTextField {...props} className={styles['field'] as string}>
      <Label className={styles['label'] as string}>
        {label}
        {props.name !== undefined && !props.isRequired && <Optional />}
      </Label>
      {isArea ? (
        <TextArea className={className} placeholder={placeholder ?? ''} />
      ) : (
        <Input className={className} placeholder={placeholder ?? ''} />
      )}
      <Below hint={hint} />
    </AriaTextField>
  );
}

/** The line below a field: its hint or its validation error. */
export function Below({ hint }: { hint?: ReactNode }) {
  return (
    <>
      {hint && (
        <Text slot="description" className={styles['hint'] as string}>
          {hint}
        </Text>
      )}
      <FieldError className={styles['error'] as string}>
        {({ validationErrors }) =>
          validationErrors.map((said) => (
            <Fragment key={said}>
              <FaultText said={said} />{' '}
            </Fragment>
          ))
        }
      </FieldError>
    </>
  );
}

type SearchProps = Omit<SearchFieldProps, 'className' | 'children'> & { label: string; placeholder?: string };

/** A search field; `/` focuses it. Its label is hidden: placeholder and icon say what it is. */
export function SearchField({ label, placeholder, ...props }: SearchProps) {
  const texts = useFrameTexts();
  return (
    <AriaSearchField {...props} aria-label={label} className={classes(styles['box'], styles['search'])}>
      <Search size={15} aria-hidden="true" className={styles['searchIcon']} />
      <Input className={styles['input'] as string} placeholder={placeholder ?? label} data-search="" />
      <Button className={styles['inner'] as string} aria-label={texts.clear}>
        <X size={14} aria-hidden="true" />
      </Button>
    </AriaSearchField>
  );
}

const typingMs = 250;

type SettledSearchProps = { label: string; placeholder: string; value: string; onSearch: (text: string) => void };

/** Searches once the typing pauses; `value` may also change without it. */
export function SettledSearch({ label, placeholder, value, onSearch }: SettledSearchProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed alone starts the wait
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => onSearch(wanted), typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <SearchField label={label} placeholder={placeholder} value={text} onChange={setText} maxLength={longestText} />
  );
}
