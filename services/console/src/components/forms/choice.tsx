import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  CheckboxGroup as AriaCheckboxGroup,
  ComboBox as AriaComboBox,
  Select as AriaSelect,
  Button,
  type CheckboxGroupProps,
  type ComboBoxProps,
  Input,
  type Key,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  type SelectProps,
  SelectValue,
} from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { classes } from '../classes.ts';
import { contains } from '../contains.ts';
import { Checkbox } from './checkbox.tsx';
import { useCorrecting } from './corrections.ts';
import styles from './field.module.css';
import { Below, Optional } from './field.tsx';
import type { Named, Option } from './radio.tsx';

export type { Option };

export const optionOf = ({ id, text, hint, isDisabled = false }: Option<Key>) => (
  <ListBoxItem id={id} textValue={text} isDisabled={isDisabled} className={styles['option'] as string}>
    {({ isSelected }) => (
      <>
        <span className={styles['optionText']}>
          {text}
          {hint && <span className={styles['optionHint']}>{hint}</span>}
        </span>
        {isSelected && <Check size={15} aria-hidden="true" />}
      </>
    )}
  </ListBoxItem>
);

type SelectFieldProps = Omit<SelectProps<Option<Key>>, 'className' | 'children' | 'items'> &
  Named & { options: readonly Option<Key>[]; isLabelHidden?: boolean };

/** Chooses one of a few options. With `name` it is a field of a form. */
export function Select({ label, hint, options, isLabelHidden = false, ...props }: SelectFieldProps) {
  const change = useCorrecting(props.name, props.onChange);
  const named = isLabelHidden ? { 'aria-label': label } : {};
  return (
    <AriaSelect {...props} {...named} onChange={change} className={styles['field'] as string}>
      {!isLabelHidden && <Label className={styles['label'] as string}>{label}</Label>}
      <Button className={classes(styles['input'], styles['trigger'])}>
        <SelectValue className={styles['value'] as string}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <ChevronDown size={15} aria-hidden="true" />
      </Button>
      <Below hint={hint} />
      <Popover className={styles['popover'] as string}>
        <ListBox items={options} className={styles['options'] as string}>
          {optionOf}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

type ComboProps = Omit<ComboBoxProps<Option<Key>>, 'className' | 'children' | 'items' | 'defaultItems'> &
  Named & {
    /** All options or, if `onInputChange` looks them up, those that match the input. */
    options: readonly Option<Key>[];
    isSearched?: boolean;
    placeholder?: string;
    empty?: ReactNode;
    /** Shown above the options: a note that there are more than these. */
    more?: ReactNode;
  };

/** Chooses one of many options by typing. `isSearched`: the caller filters the options. */
export function ComboBox({ label, hint, options, isSearched = false, placeholder, empty, more, ...props }: ComboProps) {
  const change = useCorrecting(props.name, props.onChange);
  const items = isSearched ? { items: options } : { defaultItems: options };
  return (
    <AriaComboBox
      {...props}
      {...items}
      defaultFilter={contains}
      onChange={change}
      allowsEmptyCollection
      menuTrigger="focus"
      className={styles['field'] as string}
    >
      <Label className={styles['label'] as string}>
        {label}
        {props.name !== undefined && !props.isRequired && <Optional />}
      </Label>
      <div className={styles['box']}>
        <ComboInput placeholder={placeholder} />
      </div>
      <Below hint={hint} />
      <ComboOptions empty={empty} more={more} />
    </AriaComboBox>
  );
}

/** What is typed into, and the button that opens the options. */
export function ComboInput({ placeholder = '' }: { placeholder?: string | undefined }) {
  const texts = useFrameTexts();
  return (
    <>
      <Input className={styles['input'] as string} placeholder={placeholder} />
      <Button className={styles['inner'] as string} aria-label={texts.showOptions}>
        <ChevronDown size={15} aria-hidden="true" />
      </Button>
    </>
  );
}

export function ComboOptions({ empty, more }: { empty?: ReactNode; more?: ReactNode }) {
  const texts = useFrameTexts();
  return (
    <Popover className={styles['popover'] as string}>
      {more && <div className={styles['none']}>{more}</div>}
      <ListBox
        className={styles['options'] as string}
        renderEmptyState={() => <div className={styles['none']}>{empty ?? texts.goToNothing}</div>}
      >
        {optionOf}
      </ListBox>
    </Popover>
  );
}

type GroupProps = Omit<CheckboxGroupProps, 'className' | 'children'> & Named & { options: readonly Option[] };

export function CheckboxGroup({ label, hint, options, ...props }: GroupProps) {
  return (
    <AriaCheckboxGroup {...props} className={styles['field'] as string}>
      <Label className={styles['label'] as string}>{label}</Label>
      <div className={styles['choices']}>
        {options.map(({ id, text, hint: about }) => (
          <Checkbox key={id} value={id}>
            {text}
            {about && <span className={styles['optionHint']}>{about}</span>}
          </Checkbox>
        ))}
      </div>
      <Below hint={hint} />
    </AriaCheckboxGroup>
  );
}

export { Checkbox } from './checkbox.tsx';
export { RadioGroup } from './radio.tsx';
