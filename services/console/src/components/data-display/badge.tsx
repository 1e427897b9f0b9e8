import { Circle, CircleAlert, CircleCheck, CircleDot, CircleX, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocale } from '../../i18n/locale.tsx';
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

/** A status by its code: `<StatusBadge words={ticketStatuses} code={ticket.status} />`. The tooltip has the code. */
export function StatusBadge({ words, code }: { words: Record<string, StatusWord>; code: string }) {
  const { language } = useLocale();
  const word = words[code];
  return (
    <Badge family={word?.family ?? 'neutral'} title={code}>
      {word?.[language] ?? code}
    </Badge>
  );
}
