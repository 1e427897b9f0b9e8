import { TZDate } from '@date-fns/tz';
import ical, { ICalEventStatus } from 'ical-generator';
import { tzlib_get_ical_block } from 'timezones-ical-library';
import type { AgendaEntry } from './read-agenda.ts';

export type Language = 'fr' | 'en';
type Options = { name: string; consoleUrl: string | null; language: Language };

const words = {
  visit: { fr: 'Visite', en: 'Visit' },
  intervention: { fr: 'Intervention', en: 'Work' },
  done: { fr: 'faite', en: 'done' },
};

/** These entries as iCalendar (RFC 5545), in the time zones of their places, or else in UTC. */
export function agendaCalendar(entries: readonly AgendaEntry[], { name, consoleUrl, language }: Options): string {
  // Many zones are links, whose block has the name of another zone.
  const generator = (zone: string) =>
    String(tzlib_get_ical_block(zone)[0] ?? '')
      .replace(/^TZID:.*$/m, `TZID:${zone}`)
      .replace(/^X-LIC-LOCATION:.*$/m, `X-LIC-LOCATION:${zone}`);
  const calendar = ical({ name: plain(name), ttl: 3_600, timezone: { name: null, generator } });
  for (const { date, state, ticket, own, places, contractor, time_zone } of entries) {
    const done = state === 'done' ? ` ${words.done[language]}` : '';
    const url = consoleUrl === null ? null : `${consoleUrl}/tickets/${ticket._id}`;
    const other = own.role === 'client' ? contractor?.name : ticket.client_name;
    // Clients number their tickets each for themselves.
    const named = [...(own.role === 'client' ? [] : [ticket.client_name]), `${ticket.number} ${ticket.title}`];
    const at = (moment: Date) => (time_zone === null ? moment : new TZDate(moment, time_zone));
    const where = places.flatMap((place) => [place.name, place.address].filter(Boolean).join(', '));
    calendar.createEvent({
      id: `${date._id}@dates`,
      // It grows with every change of the ticket.
      sequence: ticket.version,
      stamp: ticket.updated_at,
      lastModified: ticket.updated_at,
      start: at(date.start),
      // It must be later than the start.
      end: date.end > date.start ? at(date.end) : null,
      timezone: time_zone,
      status: state === 'canceled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      summary: plain([`${words[date.category][language]}${done}`, ...named].join(' · ')),
      location: plain(where.join('; ')),
      description: [other, url].filter(Boolean).map(String).map(plain).join('\n'),
      url,
    });
  }
  return calendar.toString();
}

/** A line, as calendars may hold it: without control characters. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ');
}
