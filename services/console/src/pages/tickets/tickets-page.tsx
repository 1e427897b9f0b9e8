import { StatusBadge } from '../../components/badge.tsx';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { Paged } from '../../components/paged.tsx';
import { PlainCell, PlainRow, PlainTable } from '../../components/plain-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { DateTime } from '../../components/values.tsx';
import { useSession } from '../../session/session.ts';
import { ticketStatuses } from '../../words/status-words.ts';
import { useTexts } from './texts.ts';
import { TicketFilters, useTicketFilter } from './ticket-filters.tsx';
import styles from './tickets.module.css';
import { useTickets } from './tickets.ts';
import { ViewLinks } from './view-links.tsx';
import { nextDate, type Ticket } from './views.ts';

export function TicketsPage() {
  const texts = useTexts();
  const { company } = useSession();
  const filter = useTicketFilter();
  const list = useTickets(filter.values);
  const add = company.kind === 'client' && (
    <ButtonLink href="/tickets/new" variant="primary">
      {texts.add}
    </ButtonLink>
  );
  const empty = (
    <EmptyState
      title={filter.isSet ? texts.noneFound : texts.none}
      action={filter.isSet && <Button onPress={filter.clear}>{texts.clearFilters}</Button>}
    />
  );
  return (
    <Page title={texts.title} actions={add}>
      <ViewLinks filter={filter} />
      <TicketFilters filter={filter} />
      <Paged list={list} empty={empty}>
        {(tickets) => <TicketTable tickets={tickets} />}
      </Paged>
    </Page>
  );
}

function TicketTable({ tickets }: { tickets: Ticket[] }) {
  const texts = useTexts();
  const { company } = useSession();
  const isClient = company.kind === 'client';
  const other = isClient ? texts.contractor : texts.client;
  const headings = [texts.number, texts.ticketTitle, texts.status, texts.place, other, texts.priority, texts.nextDate];
  return (
    <div className={styles['list']}>
      <PlainTable label={texts.title} headings={headings.map((text) => ({ text }))}>
        {tickets.map((ticket) => (
          <PlainRow key={ticket._id} href={`/tickets/${ticket._id}`} name={ticket.number}>
            <PlainCell>{ticket.title}</PlainCell>
            <PlainCell>
              <StatusBadge words={ticketStatuses} code={ticket.status} />
            </PlainCell>
            <PlainCell>{namesOf(ticket.locations)}</PlainCell>
            <PlainCell>{isClient ? namesOf(ticket.contractors) : ticket.client.name}</PlainCell>
            <PlainCell>{ticket.priority_label !== 'none' && texts.priorities[ticket.priority_label]}</PlainCell>
            <PlainCell>
              <NextDate ticket={ticket} />
            </PlainCell>
          </PlainRow>
        ))}
      </PlainTable>
    </div>
  );
}

function namesOf(all: { name: string | null }[]): string {
  return all.flatMap(({ name }) => name ?? []).join(', ');
}

function NextDate({ ticket }: { ticket: Ticket }) {
  const date = nextDate(ticket.intervention_scheduled_at, new Date());
  return date && <DateTime value={date} />;
}
