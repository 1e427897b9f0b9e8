import type { LucideIcon } from 'lucide-react';
import { Menu, MenuItem } from 'react-aria-components';
import styles from '../../components/forms/field.module.css';
import { useFrameTexts } from '../../i18n/locale.tsx';

export type Target = {
  href: string;
  text: string;
  icon: LucideIcon;
  /** What it is. */
  hint?: string;
};

type ListProps = { targets: Target[]; empty: string; onChoose: (href: string) => void };

export function GoToList({ targets, empty, onChoose }: ListProps) {
  const texts = useFrameTexts();
  // Two contractors of one SIREN, or of one name, lead to the same list.
  const isFirst = ({ href }: Target, index: number) => index === targets.findIndex((other) => other.href === href);
  return (
    <Menu
      aria-label={texts.goTo}
      className={styles['options'] as string}
      items={targets.filter(isFirst).map((target) => ({ ...target, id: target.href }))}
      onAction={(href) => onChoose(String(href))}
      renderEmptyState={() => <div className={styles['none']}>{empty}</div>}
    >
      {({ text, hint, icon: Icon }) => (
        <MenuItem textValue={text} className={styles['option'] as string}>
          <Icon size={16} aria-hidden="true" />
          <span className={styles['optionText']}>
            {text}
            {hint && <span className={styles['optionHint']}>{hint}</span>}
          </span>
        </MenuItem>
      )}
    </Menu>
  );
}
