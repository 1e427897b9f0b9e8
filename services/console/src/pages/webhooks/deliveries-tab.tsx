import { useState } from 'react';
import { StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Paged } from '../../components/paged.tsx';
import { PlainCell, PlainRow, PlainTable } from '../../components/plain-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Ago, DateTime } from '../../components/values.tsx';
import { deliveryStatuses } from '../../words/status-words.ts';
import { type Delivery, isTest, useDeliveries } from './deliveries.ts';
import { DeliveryFilters, useDeliveryFilter } from './delivery-filters.tsx';
import type { Endpoint } from './endpoints.ts';
import { RecoverDialog } from './recover-dialog.tsx';
import { Resend } from './resend.tsx';
import { useTexts } from './texts.ts';
import styles from './webhooks.module.css';

/** The first attempt and its five retries. */
const attemptsInAll = 6;

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
      {texts.noDeliveriesHint}
    </EmptyState>
  );
  return (
    <>
      <div className={styles['filters']}>
        <DeliveryFilters filter={filter} />
        <Resend endpoint={endpoint} filter={filter.values} />
        <Button isDisabled={!endpoint.active} onPress={() => setRecovering(true)}>
          {texts.recover}
        </Button>
      </div>
      <Paged list={list} empty={empty}>
        {(deliveries) => <DeliveryTable endpointId={endpoint.id} deliveries={deliveries} />}
      </Paged>
      <RecoverDialog endpoint={endpoint} isOpen={isRecovering} onOpenChange={setRecovering} />
    </>
  );
}

function DeliveryTable({ endpointId, deliveries }: { endpointId: string; deliveries: Delivery[] }) {
  const texts = useTexts();
  const headings = [texts.event, texts.ticket, texts.status, texts.code, texts.attempts, texts.age, texts.next];
  return (
    <PlainTable label={texts.deliveries} headings={headings.map((text) => ({ text }))}>
      {deliveries.map((delivery) => (
        <PlainRow
          key={delivery.id}
          href={`/webhooks/${endpointId}/deliveries/${delivery.id}`}
          name={<code>{delivery.event}</code>}
        >
          <PlainCell>{delivery.ticket?.number}</PlainCell>
          <PlainCell>
            <StatusBadge words={deliveryStatuses} code={delivery.status} />
          </PlainCell>
          <PlainCell>{delivery.statusCode}</PlainCell>
          <PlainCell>
            {isTest(delivery) ? delivery.attempts.length : texts.attemptsOf(delivery.attempts.length, attemptsInAll)}
          </PlainCell>
          <PlainCell>
            <DateTime value={delivery.createdAt} />
          </PlainCell>
          <PlainCell>{delivery.nextAttemptAt && <Ago value={delivery.nextAttemptAt} />}</PlainCell>
        </PlainRow>
      ))}
    </PlainTable>
  );
}
