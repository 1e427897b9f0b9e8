import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { StatusBadge } from '../../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../../components/data-display/export-buttons.tsx';
import { Paged } from '../../../components/data-display/paged.tsx';
import { Ago, DateTime } from '../../../components/data-display/values.tsx';
import { EmptyState } from '../../../components/states.tsx';
import { deliveryStatuses } from '../../../words/status-words.ts';
import type { Endpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import { type Delivery, readSheet, useDeliveries } from './deliveries.ts';
import { DeliveryFilters, useDeliveryFilter } from './delivery-filters.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { Resend } from './resend.tsx';

export function DeliveriesTab({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const [isRecovering, setRecovering] = useState(false);
  const filter = useDeliveryFilter();
  const list = useDeliveries(endpoint.id, filter.values);
  const empty = (
    <EmptyState
      title={texts.noDeliveries}
      action={filter.isSet && <Button onPress={filter.clear}>{texts.clearFilters}</Button>}
    >
      {filter.isSet ? texts.noDeliveriesHint : texts.nothingSent}
    </EmptyState>
  );
  return (
    <>
      <DeliveryFilters filter={filter}>
        <Resend endpoint={endpoint} filter={filter.values} />
        <Button isDisabled={!endpoint.active} onPress={() => setRecovering(true)}>
          {texts.recover}
        </Button>
        <ExportButtons name={texts.deliveries} read={(format) => readSheet(endpoint.id, filter.values, format)} />
      </DeliveryFilters>
      <Paged list={list} empty={empty}>
        {(deliveries) => <DeliveryTable endpointId={endpoint.id} deliveries={deliveries} />}
      </Paged>
      <RecoverDialog endpoint={endpoint} isOpen={isRecovering} onOpenChange={setRecovering} />
    </>
  );
}

function DeliveryTable({ endpointId, deliveries }: { endpointId: string; deliveries: Delivery[] }) {
  const texts = useTexts();
  const columns: DataColumn<Delivery>[] = [
    { title: texts.event, kind: 'header', cell: ({ event }) => <code>{event}</code> },
    { title: texts.ticket, isMinor: true, cell: ({ ticket }) => ticket?.number },
    { title: texts.status, cell: ({ status }) => <StatusBadge words={deliveryStatuses} code={status} /> },
    { title: texts.code, cell: ({ statusCode }) => statusCode },
    {
      title: texts.attempts,
      isMinor: true,
      cell: ({ attempts, maxAttempts }) => texts.attemptsOf(attempts.length, maxAttempts),
    },
    { title: texts.age, cell: ({ createdAt }) => <DateTime value={createdAt} /> },
    {
      title: texts.next,
      isMinor: true,
      cell: ({ nextAttemptAt }) => nextAttemptAt && <Ago value={nextAttemptAt} past={texts.dueNow} />,
    },
  ];
  return (
    <DataTable
      label={texts.deliveries}
      columns={columns}
      items={deliveries}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/webhooks/${endpointId}/deliveries/${id}`}
    />
  );
}
