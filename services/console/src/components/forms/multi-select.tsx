import { X } from 'lucide-react';
import { type ReactNode, useContext } from 'react';
import { ComboBox as AriaComboBox, ComboBoxStateContext, type Key, Label } from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button as OurButton } from '../button.tsx';
import { contains } from '../contains.ts';
import { ComboInput, ComboOptions, type Option } from './choice.tsx';
import { useCorrecting } from './corrections.ts';
import styles from './field.module.css';
import { Below, Optional } from './field.tsx';

type MultiSelectProps = {
  label: string;
  name: string;
  options: readonly Option[];
  value: readonly string[];
  onChange: (ids: string[]) => void;
};

/**
 * Chooses several of many options by typing. The chosen ones are listed below, each with a button
 * to remove it.
 */
export function MultiSelect(given: MultiSelectProps) {
  const props = { ...given, onChange: useCorrecting(given.name, given.onChange) };
  return (
    <div className={styles['field']}>
      <Search {...props} />
      <Chosen {...props} />
    </div>
  );
}

function Search({ label, name, options, value, onChange }: MultiSelectProps) {
  return (
    <AriaComboBox
      name={name}
      selectionMode="multiple"
      defaultItems={options}
      defaultFilter={contains}
      value={value}
      onChange={(keys: Key[]) => onChange(keys.map(String))}
      allowsEmptyCollection
      menuTrigger="focus"
      className={styles['field'] as string}
    >
      <Label className={styles['label'] as string}>
        {label}
        <Optional />
      </Label>
      <KeepingOnTab>
        <ComboInput />
      </KeepingOnTab>
      <Below />
      <ComboOptions />
    </AriaComboBox>
  );
}

/**
 * In a combo box Tab selects the focused option, as Enter does, and so would unselect one that was
 * just chosen: it clears the focus first.
 */
function KeepingOnTab({ children }: { children: ReactNode }) {
  const selection = useContext(ComboBoxStateContext)?.selectionManager;
  const keep = (key: string) => {
    const at = selection?.focusedKey;
    if (key === 'Tab' && at != null && selection?.isSelected(at)) selection.setFocusedKey(null);
  };
  return (
    <div className={styles['box']} onKeyDownCapture={({ key }) => keep(key)}>
      {children}
    </div>
  );
}

/**
 * Lists what is chosen. An id that is no option, because it was deleted or is not loaded, is shown
 * as it is.
 */
function Chosen({ label, options, value, onChange }: MultiSelectProps) {
  const texts = useFrameTexts();
  if (value.length === 0) return null;
  const nameOf = (id: string) => options.find((option) => option.id === id)?.text ?? id;
  return (
    <ul aria-label={label} className={styles['chosen']}>
      {value.map((id) => (
        <li key={id} className={styles['chosenItem']}>
          {nameOf(id)}
          <OurButton
            variant="quiet"
            isIcon
            aria-label={texts.takeAway(nameOf(id))}
            onPress={() => onChange(value.filter((one) => one !== id))}
          >
            <X size={14} aria-hidden="true" />
          </OurButton>
        </li>
      ))}
    </ul>
  );
}
