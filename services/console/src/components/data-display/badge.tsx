import { Circle, CircleAlert, CircleCheck, CircleDot, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Language, useLocale } from '../../i18n/locale.tsx';
import type { Family, StatusWord } from '../../words/family.ts';
import { classes } from '../classes.ts';
import styles from './badge.module.css';

const icons: Record<Family, LucideIcon> = {
  neutral: Circle,
  info: CircleDot,
  progress: LoaderCircle,
  warning: CircleAlert,
  success: CircleCheck,
  danger: CircleX,
};

/** A word with an icon: colour alone says nothing. */
export function Badge({ family, title, children }: { family: Family; title?: string; children: ReactNode }) {
  const Icon = icons[family];
  return (
    <span className={classes(styles['badge'], styles[family])} title={title}>
      <Icon size={12} aria-hidden="true" />
      {children}
    </span>
  );
}

type StatusProps = { words: Record<string, StatusWord>; code: string };

export function wordOf({ words, code, language }: StatusProps & { language: Language }): string {
  return words[code]?.[language] ?? code;
}

/** A status by its code: `<StatusBadge words={ticketStatuses} code={ticket.status} />`. The tooltip has the code. */
export function StatusBadge({ words, code }: StatusProps) {
  const { language } = useLocale();
  return (
    <Badge family={words[code]?.family ?? 'neutral'} title={code}>
      {wordOf({ words, code, language })}
    </Badge>
  );
}
