import { formatMoment, type Where } from '../../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../../i18n/locale.tsx';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import { type TicketDate, useDates } from '../tickets.ts';
import { aboutOf, type Move } from './moves.ts';

export type AskProps = { ticket: Ticket; move: Move; onClose: () => void };

/** The text of a move's button, with the quote or the date that it is about. */
export function useMoveName(ticket: Ticket): (move: Move) => string {
  const texts = useTexts();
  const { data: dates = [] } = useDates(ticket._id);
  const nameOfDate = useDateName();
  return (move) => {
    const words: Record<string, string> = texts.moves;
    const verb = words[move.operation] ?? move.operation;
    const about = aboutOf(move);
    const quote = ticket.quotes.find(({ _id }) => _id === about);
    const date = dates.find(({ _id }) => _id === about);
    const object = quote?.reference ?? (date && nameOfDate(date));
    return object ? texts.moveOf(verb, object) : verb;
  };
}

export function useDateName(): (date: Pick<TicketDate, 'start'>) => string {
  const words = useFrameTexts();
  const where = useLocale();
  return ({ start }) => formatMoment(new Date(start), { ...where, now: new Date(), words });
}

/** An ISO interval in words; anything else stays as it is. */
export function useIntervalText(): (text: string) => string {
  const where = useLocale();
  return (text) => {
    const [start, end, more] = text.split('/').map((part) => new Date(part));
    if (!start || !end || more || Number.isNaN(start.getTime()) || Number.isNaN(end.getTime())) return text;
    return formatPeriod(start, end, where);
  };
}

/** `24 Nov 2026, 14:00 – 16:00`: the day is said twice only if it is another one. */
export function formatPeriod(start: Date, end: Date, { locale, timeZone }: Where): string {
  const format = new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  return format.formatRange(start, end);
}

/** The text of the toast after a move. */
export function useMoveDone(ticket: Pick<Ticket, 'number'>): (move: Move) => string {
  const texts = useTexts();
  return ({ operation }) => texts.moved(texts.happened[operation] ?? texts.changed, ticket.number);
}
