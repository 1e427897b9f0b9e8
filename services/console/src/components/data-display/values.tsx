import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { formatAgo, formatDay, formatExactly, formatMoment, formatMoney } from '../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import styles from './values.module.css';

/** A moment: `today 14:05`, `12 Nov`; the tooltip has it exactly, with its zone. */
export function DateTime({ value }: { value: string }) {
  const where = useLocale();
  const words = useFrameTexts();
  const at = new Date(value);
  return (
    <time dateTime={value} title={formatExactly(at, where)}>
      {formatMoment(at, { ...where, now: new Date(), words })}
    </time>
  );
}

/** How long ago, or in how long; kept up to date. `past`: said instead once the moment has come. */
export function Ago({ value, past }: { value: string; past?: string }) {
  const where = useLocale();
  const [now, setNow] = useState(() => new Date());
  const at = new Date(value);
  const isNear = Math.abs(at.getTime() - now.getTime()) < 90_000;
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), isNear ? 1_000 : 30_000);
    return () => clearInterval(timer);
  }, [isNear]);
  return (
    <time dateTime={value} title={formatExactly(at, where)}>
      {past !== undefined && at <= now ? past : formatAgo(at, { locale: where.locale, now })}
    </time>
  );
}

/** A calendar day, `2026-11-12`. */
export function Day({ value }: { value: string }) {
  const { locale } = useLocale();
  return <time dateTime={value}>{formatDay(value, locale)}</time>;
}

/** An amount. `basis`: HT or TTC; give it wherever both are possible. */
export function Money({
  amount,
  currency = 'EUR',
  basis,
}: {
  amount: number | string;
  currency?: string;
  basis?: string;
}) {
  const { locale } = useLocale();
  return (
    <span className={styles['money']}>
      {formatMoney(amount, { locale, currency })}
      {basis && <span className={styles['suffix']}> {basis}</span>}
    </span>
  );
}

/** A text with a button that copies it. `name` says what it is. */
export function Copyable({ text, name }: { text: string; name: string }) {
  const texts = useFrameTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <span className={styles['copyable']}>
      <code>{text}</code>
      <Button
        variant="quiet"
        isIcon
        aria-label={texts.actionOn(isCopied ? texts.copied : texts.copy, name)}
        onPress={() => void copy()}
      >
        {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      </Button>
    </span>
  );
}
