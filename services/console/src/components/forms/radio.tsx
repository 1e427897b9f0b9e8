import type { ReactNode } from 'react';
import { RadioGroup as AriaRadioGroup, type Key, Label, Radio, type RadioGroupProps } from 'react-aria-components';
import { classes } from '../classes.ts';
import styles from './field.module.css';
import { Below } from './field.tsx';

export type Option<Id extends Key = string> = { id: Id; text: string; hint?: string; isDisabled?: boolean };

export type Named = { label: string; hint?: ReactNode };

type RadiosProps = Omit<RadioGroupProps, 'className' | 'children'> &
  Named & { options: readonly (Option & { icon?: ReactNode })[]; look?: 'list' | 'row' | 'segments' };

export function RadioGroup({ label, hint, options, look = 'list', ...props }: RadiosProps) {
  const isSegments = look === 'segments';
  return (
    <AriaRadioGroup {...props} className={styles['field'] as string}>
      <Label className={styles['label'] as string}>{label}</Label>
      <div className={isSegments ? styles['segments'] : classes(styles['choices'], look === 'row' && styles['row'])}>
        {options.map(({ id, text, icon, hint: about }) => (
          <Radio key={id} value={id} className={(isSegments ? styles['segment'] : styles['choice']) as string}>
            {!isSegments && <span className={classes(styles['mark'], styles['round'])} aria-hidden="true" />}
            {icon}
            <span>
              {text}
              {about && <span className={styles['optionHint']}>{about}</span>}
            </span>
          </Radio>
        ))}
      </div>
      <Below hint={hint} />
    </AriaRadioGroup>
  );
}
