import fc from 'fast-check';
import ICAL from 'ical.js';
import { type AgendaDate, agendaDates, isMovable } from '../../services/ticket/agenda/agenda.ts';
import { agendaCalendar } from '../../services/ticket/agenda/agenda-calendar.ts';
import { addDate, reschedule } from '../../services/ticket/dates/dates.ts';
import { ticketResponse } from '../../services/ticket/reading/ticket-response.ts';
import { aDate, aTicket, clientId, user, worked } from '../../services/ticket/test/tickets/fixtures.ts';
import { agendaKey, agendaKeys, weeksOf } from '../../services/ticket/tickets/lists/agenda-keys.ts';
import { type Actor, type Ticket, viewOfCompany } from '../../services/ticket/tickets/ticket.ts';
import { sees } from '../../services/ticket/tickets/visibility.ts';
import { checkProperty } from './check-property.ts';
import { contractors, hour, move, start } from './ticket-steps.ts';

/** Most moves are refused on a new ticket. */
const begun = fc.constantFrom(aTicket(), worked('assigned', contractors[0] as (typeof contractors)[number]));
const ever = { from: new Date(0), to: new Date('2100-01-01') };
const companies = [clientId, ...contractors.map(({ companyId }) => companyId)];
const kindOf = (companyId: string) => (companyId === clientId ? 'client' : 'contractor') as 'client' | 'contractor';

/** What a calendar program reads of a feed, by UID. */
function readBack(ticket: Ticket, companyId: string) {
  const own = viewOfCompany(ticket, companyId);
  if (!own || !sees({ companyId, companyKind: kindOf(companyId) }, ticket)) return null;
  const dates = agendaDates(ticket, own, ever);
  const shown = { ticket, own, places: [], contractor: null, time_zone: 'Europe/Paris' };
  const entries = dates.map((one) => ({ ...one, ...shown }));
  const text = agendaCalendar(entries, { name: 'Agenda', consoleUrl: null, language: 'fr' });
  const root = new ICAL.Component(ICAL.parse(text));
  for (const zone of root.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  const read = root.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    const { sequence, summary, startDate } = event;
    const status = String(component.getFirstPropertyValue('status'));
    return [event.uid, { sequence, status, summary, at: startDate.toJSDate().toISOString() }] as const;
  });
  return { dates, events: new Map(read) };
}

/** The starts that the list of tickets shows to the same company. */
function listed(ticket: Ticket, companyId: string) {
  const none = new Map();
  const referentials = { locations: none, equipments: none, jobs: none, domains: none, fields: none };
  const projections = { contractors: none, users: none, purchases: none, invoices: none, clockSettings: none };
  const related = { ...projections, referentials };
  const viewer = { companyId, companyKind: kindOf(companyId) };
  const presentation = { viewer, related, baseUrl: '', consoleUrl: null, now: new Date(start) };
  const { visit_scheduled_at, intervention_scheduled_at, visit_occured_at, intervention_occured_at } = ticketResponse(
    ticket,
    presentation,
  ) as Record<string, Date[]>;
  const iso = (...all: (Date[] | undefined)[]) =>
    all.flatMap((one = []) => one.map((date) => date.toISOString())).sort();
  return {
    scheduled: iso(visit_scheduled_at, intervention_scheduled_at),
    occured: iso(visit_occured_at, intervention_occured_at),
  };
}

test('a feed shows what the list shows to the same company, by the keys that find it, and numbers every change', () => {
  checkProperty(
    fc.property(begun, fc.array(move, { minLength: 1, maxLength: 25 }), (first, steps) => {
      let ticket = first;
      let before = new Map<string, ReturnType<typeof readBack>>();
      steps.forEach((step, index) => {
        const now = new Date(start + index * hour);
        ticket = applied(step.apply, ticket, now);
        const keys = agendaKeys(ticket);
        const after = new Map(companies.map((company) => [company, readBack(ticket, company)]));
        for (const company of companies) {
          const found = after.get(company);
          if (!found) continue;
          const { dates, events } = found;
          const { scheduled, occured } = listed(ticket, company);
          const startsOf = (wanted: (one: AgendaDate) => boolean) =>
            [...events]
              .filter(([uid]) => dates.some((one) => wanted(one) && uid.startsWith(one.date._id)))
              .map(([, { at }]) => at)
              .sort();
          expect(startsOf(({ state }) => state === 'done')).toEqual(occured);
          for (const at of startsOf(({ state }) => state === 'planned')) expect(scheduled).toContain(at);
          const confirmed = ticket.dates.filter(({ type, state }) => type === 'planned' && state === 'done');
          const told = [
            ...startsOf(({ date }) => date.type === 'planned'),
            ...confirmed.map(({ start: at }) => at.toISOString()),
          ];
          for (const at of scheduled) expect(told).toContain(at);
          for (const { date } of dates)
            for (const week of weeksOf({ from: date.start, to: date.end }))
              expect(keys).toContain(agendaKey(company, week));
          for (const [uid, event] of events) {
            const former = before.get(company)?.events.get(uid);
            if (!former || JSON.stringify(former) === JSON.stringify(event)) continue;
            expect(event.sequence).toBeGreaterThan(former.sequence);
          }
        }
        before = after;
      });
    }),
    150,
  );
});

test('a date is movable exactly if its ticket takes both moves', () => {
  checkProperty(
    fc.property(begun, fc.array(move, { minLength: 1, maxLength: 25 }), (first, steps) => {
      const ticket = steps.reduce(
        (next, { apply }, index) => applied(apply, next, new Date(start + index * hour)),
        first,
      );
      for (const companyId of companies) {
        const own = viewOfCompany(ticket, companyId);
        if (!own) continue;
        const actor = { party: kindOf(companyId), companyId, user } as Exclude<Actor, { party: 'timer' }>;
        for (const one of agendaDates(ticket, own, ever).filter(({ state }) => state === 'planned')) {
          const now = ticket.updated_at;
          const canceled = applied((given) => reschedule(given, actor, now, one.date._id), ticket, now);
          const planned = applied(
            (given) => addDate(given, actor, now, aDate({ category: one.date.category })),
            canceled,
            now,
          );
          expect(isMovable(ticket, actor, one)).toBe(canceled !== ticket && planned !== canceled);
        }
      }
    }),
    150,
  );
});

/** The ticket as it is stored after a move; the same if that is refused. */
function applied(decide: (ticket: Ticket, now: Date) => { ticket: Ticket }, ticket: Ticket, now: Date): Ticket {
  try {
    const after = decide(ticket, now).ticket;
    return after === ticket ? ticket : { ...after, version: ticket.version + 1, updated_at: now };
  } catch {
    return ticket;
  }
}
