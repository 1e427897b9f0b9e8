import { formatDay, formatDuration, formatMoney, formatNumber, formatPercent } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import type { Cell, Kind } from './chart.ts';

/** The text of a cell in the user's language; `–` if there is nothing. */
export function useCellText(): (cell: Cell | undefined, of: { kind: Kind; currency?: string }) => string {
  const { locale } = useLocale();
  return (cell, { kind, currency = 'EUR' }) => {
    if (cell === null || cell === undefined) return '–';
    if (kind === 'day') return formatDay(String(cell), locale);
    const number = Number(cell);
    if (kind === 'money') return formatMoney(number, { locale, currency });
    if (kind === 'percent') return formatPercent(number, locale);
    return kind === 'minutes' ? formatDuration(number, locale) : formatNumber(number, locale);
  };
}
