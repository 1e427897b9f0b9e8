import type { TsSchemas } from '@app/api-client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-aria-components';
import { call, tickets, ts } from '../../../api/client.ts';
import { allPages, pageQuery } from '../../../api/pages.ts';
import { Ago } from '../../../components/data-display/values.tsx';
import { Card } from '../../../components/figures/card.tsx';
import { Bars, Numbers } from '../../../components/figures/drawings.tsx';
import { Figure } from '../../../components/figures/figure.tsx';
import { Loaded } from '../../../components/states.tsx';
import { formatWithTime } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import type { Ticket } from '../../tickets/list-query.ts';
import { addressOf, mapOf, telOf } from '../../tickets/sections/contact-links.ts';
import { useTickets } from '../../tickets/tickets.ts';
import { AmountFigure } from './amount-figure.tsx';
import { ticketsIn } from './charts.ts';
import styles from './figure-grid.module.css';
import { Others } from './others.tsx';
import { dayFrom, midnightFrom } from './periods.ts';
import { useTexts } from './texts.ts';
import { useFigure } from './use-figure.ts';

/** Visits and work of today and the week, with what one needs on the way. */
export function Agenda() {
  const texts = useTexts();
  const query = useQuery({
    queryKey: ['tickets', 'list', 'agenda'],
    queryFn: async ({ signal }) => {
      const now = new Date();
      const query = { from: midnightFrom(now).toISOString(), to: midnightFrom(now, 7).toISOString() };
      const { entries } = await call(ts.GET('/agenda', { params: { query }, signal }));
      // Figures have days in UTC.
      const planned = { counted_in: 'planned', counted_from: dayFrom(now, -1), counted_to: dayFrom(now, 9) } as const;
      const found = await allPages(async (cursor) => {
        const params = { query: { ...planned, ...pageQuery(cursor, 200) } };
        const page = await call(tickets.GET('/api/v3.0/tickets', { params, signal }));
        return { items: page.tickets, next: page.cursor };
      });
      const byId = new Map(found.map((ticket) => [ticket._id, ticket]));
      return entries
        .filter(({ state, start }) => state === 'planned' && start >= query.from)
        .map((entry) => ({ ...entry, found: byId.get(entry.ticket._id) }));
    },
  });
  return (
    <Card {...texts.agenda} href="/agenda">
      <Loaded query={query} rows={3}>
        {(stops) => {
          // The page may have been open since yesterday.
          const [today = '', tomorrow = ''] = [0, 1].map((days) => midnightFrom(new Date(), days).toISOString());
          const later = stops.filter(({ start }) => start >= tomorrow);
          const now = stops.filter(({ start }) => start >= today && start < tomorrow);
          if (now.length + later.length === 0) return <p className={styles['small']}>{texts.agenda.empty}</p>;
          return (
            <>
              <Stops title={texts.today} stops={now} />
              <Stops title={texts.thisWeek} stops={later} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

type Stop = Pick<TsSchemas['AgendaEntry'], '_id' | 'start' | 'ticket' | 'places'> & { found: Ticket | undefined };

function Stops({ title, stops }: { title: string; stops: Stop[] }) {
  const texts = useTexts();
  const locale = useLocale();
  if (stops.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul aria-label={title} className={styles['items']}>
        {stops.map(({ _id, ticket, start, places, found }) => {
          const [place] = found?.locations ?? [];
          // Of a date that was planned just now, the ticket is not counted yet.
          const where = place ? addressOf(place) || place.name : places[0]?.name;
          const phone = [...(found?.contacts ?? []), ...(found?.managers ?? [])].find((one) => one.phone)?.phone;
          return (
            <li key={_id} className={styles['item']}>
              <time dateTime={start}>{formatWithTime(new Date(start), locale)}</time>
              <Link href={`/tickets/${ticket._id}`}>{`${ticket.number} ${ticket.title}`}</Link>
              {where && <span className={styles['small']}>{where}</span>}
              {phone && <a href={telOf(phone)}>{texts.call(phone)}</a>}
              {place && (
                <a href={mapOf(place)} target="_blank" rel="noreferrer">
                  {texts.map(ticket.number)}
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const mostProposals = 5;

export function Proposals() {
  const texts = useTexts();
  const { query, items, more } = useTickets({ status: 'proposed', order: 'asc' });
  const list = '/tickets?view=to-answer';
  return (
    <Card {...texts.proposals} href={list}>
      <Loaded query={query} rows={3}>
        {() =>
          items.length === 0 ? (
            <p className={styles['small']}>{texts.proposals.empty}</p>
          ) : (
            <>
              <ul aria-label={texts.proposals.title} className={styles['items']}>
                {items.slice(0, mostProposals).map(({ _id, number, title, client, created_at }) => (
                  <li key={_id} className={styles['item']}>
                    <Link href={`/tickets/${_id}`}>{`${number} ${title}`}</Link>
                    <span className={styles['small']}>{client.name}</span>
                    {created_at && <Ago value={created_at} />}
                  </li>
                ))}
              </ul>
              <Others count={items.length - mostProposals} isMore={more !== null} href={list} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

export function Quotes() {
  const texts = useTexts();
  const query = useFigure('quotes', (signal) => ts.GET('/statistics/tickets/quotes', { signal }));
  return (
    <AmountFigure
      words={texts.quotes}
      query={query}
      keyOf={({ state }) => state}
      draw={Numbers}
      rows={texts.quoteStates}
      hrefOf={(state) => ticketsIn(`quotes.${state}`)}
    />
  );
}

/** What clients have told of one's invoices. */
export function Invoices() {
  const texts = useTexts();
  const query = useFigure('invoices', (signal) => ts.GET('/statistics/tickets/invoices', { signal }));
  return (
    <AmountFigure
      words={texts.invoices}
      query={query}
      keyOf={({ standing }) => standing}
      draw={Bars}
      rows={texts.standings}
      hrefOf={(standing, { currency, ...days }) => ticketsIn(`billed.${standing}`, days, { currency })}
    />
  );
}

/** How one's own work went, in the last three months. */
export function Work() {
  const texts = useTexts();
  const query = useFigure('work', (signal) => ts.GET('/statistics/tickets/contractors', { signal }));
  return (
    <Figure
      {...texts.ownWork}
      query={query}
      draw={Numbers}
      rows={3}
      read={({ items: [own], ...range }) => {
        if (!own) return [];
        const { kept, missed, without_report: withoutReport, minutes_to_accept: toAccept } = own;
        const planned = kept + missed;
        return [
          {
            series: [{ name: texts.value, kind: 'count' }],
            rows: [
              {
                name: texts.onTime,
                href: ticketsIn('work.kept', range),
                kind: 'percent',
                cells: [planned === 0 ? null : kept / planned],
              },
              { name: texts.work.missed, href: ticketsIn('work.missed', range), cells: [missed] },
              { name: texts.withoutReport, href: ticketsIn('work.without_report', range), cells: [withoutReport] },
              {
                name: texts.work.minutes_to_accept,
                href: ticketsIn('work.accepted', range),
                kind: 'minutes',
                cells: [toAccept],
              },
            ],
          },
        ];
      }}
    />
  );
}
