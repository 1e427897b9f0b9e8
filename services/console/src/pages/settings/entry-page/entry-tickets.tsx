import type { TicketSchemas } from '@app/api-client';
import { Link } from 'react-aria-components';
import { call, tickets } from '../../../api/client.ts';
import { pageQuery, usePages } from '../../../api/pages.ts';
import { StatusBadge } from '../../../components/data-display/badge.tsx';
import { DataTable } from '../../../components/data-display/data-table.tsx';
import { Paged } from '../../../components/data-display/paged.tsx';
import { Hint, Section } from '../../../components/layout/sections.tsx';
import { useFrameTexts } from '../../../i18n/locale.tsx';
import { ticketStatuses } from '../../../words/status-words.ts';
import type { PagedKind } from '../kinds.ts';
import { useTexts } from '../texts.ts';

type Ticket = TicketSchemas['Ticket'];

/** The tickets that name a place or equipment, the newest first. */
export function EntryTickets({ kind, id }: { kind: PagedKind; id: string }) {
  const texts = useTexts();
  const list = usePages<Ticket>({
    key: ['tickets', 'list', kind, id],
    async read(cursor, signal) {
      const of = kind === 'locations' ? { location_id: id } : { equipment_id: id };
      const query = { ...pageQuery(cursor, 20), ...of, order: 'desc' as const };
      const found = await call(tickets.GET('/api/v3.0/tickets', { params: { query }, signal }));
      return { items: found.tickets, next: found.cursor };
    },
  });
  const { openList, actionOn } = useFrameTexts();
  const href = `/tickets?${kind === 'locations' ? 'place' : 'equipment'}=${id}`;
  return (
    <Section
      title={texts.tickets}
      actions={
        <Link href={href} aria-label={actionOn(openList, texts.tickets)}>
          {openList}
        </Link>
      }
    >
      <Paged list={list} empty={<Hint>{texts.noTickets}</Hint>}>
        {(found) => (
          <DataTable
            label={texts.tickets}
            items={found}
            keyOf={({ _id }) => _id}
            hrefOf={({ _id }) => `/tickets/${_id}`}
            columns={[
              { title: texts.number, kind: 'header', cell: ({ number }) => number },
              { title: texts.ticketTitle, isWide: true, cell: ({ title }) => title },
              { title: texts.status, cell: ({ status }) => <StatusBadge words={ticketStatuses} code={status} /> },
            ]}
          />
        )}
      </Paged>
    </Section>
  );
}
