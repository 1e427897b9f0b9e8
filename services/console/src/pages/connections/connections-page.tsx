import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ListFile, momentOf } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Ago, DateTime } from '../../components/data-display/values.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { formatCounted } from '../../i18n/format.ts';
import { useLocale } from '../../i18n/locale.tsx';
import { AddConnection } from './add-connection.tsx';
import { connectionHealth } from './connection-health.ts';
import { type Connection, useConnections, useProviderName } from './connections.ts';
import { EditConnection } from './edit-connection.tsx';
import { useTexts } from './texts.ts';

export function ConnectionsPage() {
  const texts = useTexts();
  const [editedId, edit] = useState<string | null>(null);
  const list = useConnections();
  const columns = useColumns(edit);
  const edited = list.items.find(({ id }) => id === editedId);
  const actions = (
    <>
      <ListFile name={texts.connections} columns={columns} read={list.all} />
      <AddConnection />
    </>
  );
  return (
    <Page title={texts.connections} intro={texts.intro} actions={actions}>
      <Paged list={list} empty={<EmptyState title={texts.empty}>{texts.emptyHint}</EmptyState>}>
        {(connections) => (
          <DataTable label={texts.connections} items={connections} keyOf={({ id }) => id} columns={columns} />
        )}
      </Paged>
      {edited && <EditConnection connection={edited} onClose={() => edit(null)} />}
    </Page>
  );
}

function useColumns(edit: (id: string) => void): DataColumn<Connection>[] {
  const texts = useTexts();
  const { locale } = useLocale();
  const nameOf = useProviderName();
  return [
    {
      title: texts.provider,
      kind: 'header',
      cell: ({ provider }) => <span title={provider}>{nameOf(provider, '–')}</span>,
      inFile: ({ provider }) => nameOf(provider),
    },
    {
      title: texts.status,
      cell: (connection) => <Health connection={connection} />,
      inFile: (connection) => texts[connectionHealth(connection)],
    },
    {
      title: texts.lastPolled,
      isMinor: true,
      cell: ({ lastPolledAt }) => (lastPolledAt ? <Ago value={lastPolledAt} /> : texts.never),
      inFile: ({ lastPolledAt }) => momentOf(lastPolledAt),
    },
    {
      title: texts.failed,
      kind: 'number',
      cell: ({ failedInvoices: count }) => formatCounted({ count, isMore: count >= mostFailed }, locale),
      inFile: ({ failedInvoices }) => failedInvoices,
    },
    {
      title: texts.actions,
      kind: 'actions',
      cell: ({ id, provider }) => (
        <Button variant="quiet" aria-label={texts.editOf(nameOf(provider))} onPress={() => edit(id)}>
          {texts.edit}
        </Button>
      ),
    },
  ];
}

/** The API counts failed invoices up to this. */
const mostFailed = 1_000;

/** The health of a connection in words and, if it is bad, since when. */
function Health({ connection }: { connection: Connection }) {
  const texts = useTexts();
  const health = connectionHealth(connection);
  const { since } = connection.health;
  if (health === 'healthy') return <Badge family="success">{texts.healthy}</Badge>;
  if (health === 'paused' || health === 'unchecked') return <Badge family="neutral">{texts[health]}</Badge>;
  return (
    <>
      <Badge family="danger">{texts[health]}</Badge>
      {since && (
        <>
          {' '}
          {texts.since.toLowerCase()} <DateTime value={since} />
        </>
      )}
    </>
  );
}
