import { agendaCalendar } from '../../agenda/agenda-calendar.ts';
import type { AgendaEntry } from '../../agenda/read-agenda.ts';
import { viewOfCompany } from '../../tickets/ticket.ts';
import { aContractor, aDate, clientId, worked } from '../tickets/fixtures.ts';

test.each(['Europe/Paris', 'Indian/Reunion'])(
  'a date in the zone %s stands beside the definition of that zone',
  (zone) => {
    const ticket = worked('assigned', aContractor());
    const own = viewOfCompany(ticket, clientId);
    if (!own) throw new Error('the client has no view');
    const date = { ...aDate({ category: 'visit' }), state: 'planned' } as const;
    const entry: AgendaEntry = { date, state: 'planned', ticket, own, places: [], contractor: null, time_zone: zone };
    const text = agendaCalendar([entry], { name: 'Agenda', consoleUrl: null, language: 'en' });
    expect(text).toContain(`BEGIN:VTIMEZONE\r\nTZID:${zone}\r\n`);
    expect(text).toContain(`DTSTART;TZID=${zone}:`);
  },
);
