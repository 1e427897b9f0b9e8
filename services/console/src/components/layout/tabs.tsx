import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';
import { type Counted, formatCounted } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import styles from './tabs.module.css';

type TabOf<Id extends string> = { id: Id; text: string; counted?: Counted | undefined };

type TabsProps<Id extends string> = {
  label: string;
  tabs: readonly TabOf<Id>[];
  selected: Id;
  onSelect: (id: Id) => void;
  /** The content of the selected tab. */
  children: ReactNode;
};

/** Tabs over one panel. The page gives its content, and keeps the selected tab in the address (`useUrlState`). */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Id>) {
  const { locale } = useLocale();
  return (
    <AriaTabs
      className={styles['tabs'] as string}
      selectedKey={selected}
      onSelectionChange={(id) => onSelect(id as Id)}
    >
      <TabList aria-label={label} className={styles['list'] as string}>
        {tabs.map(({ id, text, counted }) => (
          <Tab key={id} id={id} className={styles['tab'] as string}>
            {text}
            {/* The count is no part of the tab's accessible name. */}
            {counted && (
              <span className={styles['count']} aria-hidden="true">
                {formatCounted(counted, locale)}
              </span>
            )}
          </Tab>
        ))}
      </TabList>
      <TabPanel id={selected} className={styles['panel'] as string}>
        {children}
      </TabPanel>
    </AriaTabs>
  );
}
