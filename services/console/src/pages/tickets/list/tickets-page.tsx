import { useRef, useState } from 'react';
import { useSearch } from 'wouter';
import { isSearch } from '../../../api/search-text.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { StatusBadge } from '../../../components/data-display/badge.tsx';
import { type DataColumn, DataTable, type Sorting } from '../../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../../components/data-display/export-buttons.tsx';
import { Paged } from '../../../components/data-display/paged.tsx';
import { DateTime } from '../../../components/data-display/values.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { useMedia } from '../../../components/layout/use-media.ts';
import { EmptyState } from '../../../components/states.tsx';
import { useLocale } from '../../../i18n/locale.tsx';
import type { FromList } from '../../../routing/from-list.ts';
import { useDefaultFilter } from '../../../session/saved-filters/saved-filters.ts';
import { useSession } from '../../../session/session.ts';
import { ticketStatuses } from '../../../words/status-words.ts';
import { type BulkOperation, maxSelected } from '../bulk/bulk.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { BulkSheet } from '../bulk/bulk-sheet.tsx';
import { OverdueBadge } from '../deadlines/deadlines-section.tsx';
import { sortColumns, type Ticket, workDate } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { readSheet, useTickets } from '../tickets.ts';
import { TicketFilterLinks } from './filter-links.tsx';
import { useRowKeys } from './row-keys.ts';
import { type TicketFilter, TicketFilters, useTicketFilter } from './ticket-filters.tsx';

export function TicketsPage() {
  const texts = useTexts();
  const filter = useTicketFilter();
  const { q } = filter.values;
  const isRefused = q !== undefined && !isSearch(q);
  const list = useTickets(filter.values);
  const place = useRef<HTMLDivElement>(null);
  useRowKeys({ place, ids: list.items.map(({ _id }) => _id), more: list.more });
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [acting, setActing] = useState<{ operation: BulkOperation; selected: Ticket[] } | null>(null);
  // Tickets that the list does not show, or no longer shows, are not acted upon.
  const selected = list.items.filter(({ _id }) => chosen.has(_id));
  const deselect = (ids: string[]) => choose((before) => new Set([...before].filter((id) => !ids.includes(id))));
  const { company } = useSession();
  const { timeZone } = useLocale();
  useDefaultFilter('tickets');
  const actions = (
    <>
      <ExportButtons
        name={texts.fileName}
        read={(format) => readSheet(filter.values, { party: company.kind, timeZone, ...format })}
      />
      <ButtonLink href="/tickets/new" variant="primary">
        {texts.add}
      </ButtonLink>
    </>
  );
  const clear = filter.isSet && <Button onPress={filter.clear}>{texts.clearFilters}</Button>;
  const empty = <EmptyState title={filter.isSet ? texts.noneFound : texts.noneYet} action={clear} />;
  return (
    <Page title={texts.tickets} actions={actions}>
      <TicketFilterLinks filter={filter} />
      <TicketFilters filter={filter} />
      {isRefused ? (
        <EmptyState title={texts.noSearch} action={clear} />
      ) : (
        <Paged list={list} empty={empty}>
          {(tickets) => (
            <div ref={place}>
              <TicketTable tickets={tickets} chosen={chosen} onChoose={choose} sorting={sortingOf(filter)} />
            </div>
          )}
        </Paged>
      )}
      <BulkBar
        selected={selected}
        onAct={(operation) => setActing({ operation, selected })}
        onClear={() => choose(new Set())}
      />
      {acting && <BulkSheet {...acting} onDone={deselect} onClose={() => setActing(null)} />}
    </Page>
  );
}

type TableProps = {
  tickets: Ticket[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  sorting: Sorting;
};

/** A head sorts descending first, and then the other way round. */
function sortingOf({ values, set }: TicketFilter): Sorting {
  const { sort = 'created_at', order = 'desc' } = values;
  return {
    by: sort,
    order,
    onSort(by) {
      const wanted = sortColumns.client.find((one) => one === by && one !== 'created_at') ?? null;
      set({ sort: wanted, order: by === sort && order === 'desc' ? 'asc' : null });
    },
  };
}

function TicketTable({ tickets, chosen, onChoose, sorting }: TableProps) {
  const texts = useTexts();
  const { company } = useSession();
  const list = useSearch();
  const isPhone = useMedia('(max-width: 767px)');
  const isClient = company.kind === 'client';
  const other = isClient ? texts.contractor : texts.client;
  const columns: DataColumn<Ticket>[] = [
    {
      title: texts.number,
      kind: 'header',
      sort: 'created_at',
      cell: ({ number }) => <span className={styles['number']}>{number}</span>,
    },
    { title: texts.ticketTitle, isWide: true, cell: (ticket) => <TitleCell ticket={ticket} isPhone={isPhone} /> },
    ...(isPhone ? [] : [{ title: texts.status, cell: (ticket: Ticket) => <Status ticket={ticket} /> }]),
    { title: texts.place, isMinor: true, cell: ({ locations }) => namesOf(locations) },
    {
      title: other,
      isMinor: true,
      cell: ({ contractors, client }) => (isClient ? namesOf(contractors) : client.name),
    },
    {
      title: texts.priority,
      isMinor: true,
      sort: 'priority',
      cell: ({ priority_label: label }) => label !== 'none' && texts.priorities[label],
    },
    {
      title: texts.workDate,
      isMinor: true,
      ...(isClient && { sort: 'work_date' }),
      cell: (ticket) => <WorkDate ticket={ticket} />,
    },
  ];
  const selection = {
    chosen,
    onChange: onChoose,
    nameOfAll: texts.selectAll,
    most: maxSelected,
    nameOf: ({ number }: Ticket) => texts.selectTicket(number),
  };
  return (
    <DataTable
      label={texts.tickets}
      columns={columns}
      items={tickets}
      keyOf={({ _id }) => _id}
      hrefOf={({ _id }) => `/tickets/${_id}`}
      linkState={{ list } satisfies FromList}
      sorting={sorting}
      {...(isClient && { selection })}
    />
  );
}

/** On a phone, which has no columns for them, place and status are shown below the title. */
function TitleCell({ ticket, isPhone }: { ticket: Ticket; isPhone: boolean }) {
  if (!isPhone) return ticket.title;
  return (
    <>
      {ticket.title}
      <div className={styles['small']}>{namesOf(ticket.locations)}</div>
      <Status ticket={ticket} />
    </>
  );
}

function Status({ ticket }: { ticket: Ticket }) {
  return (
    <>
      <StatusBadge words={ticketStatuses} code={ticket.status} /> <OverdueBadge ticket={ticket} />
    </>
  );
}

function namesOf(all: { name: string | null }[]): string {
  return all.flatMap(({ name }) => name ?? []).join(', ');
}

function WorkDate({ ticket }: { ticket: Ticket }) {
  const date = workDate(ticket, new Date());
  return date && <DateTime value={date} />;
}
