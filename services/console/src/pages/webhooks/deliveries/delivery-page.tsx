import { useState } from 'react';
import { Link } from 'react-aria-components';
import { useParams } from 'wouter';
import { optional } from '../../../api/query.ts';
import { Button } from '../../../components/button.tsx';
import { StatusBadge } from '../../../components/data-display/badge.tsx';
import { Copyable, DateTime } from '../../../components/data-display/values.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { DescriptionList } from '../../../components/layout/sections.tsx';
import { ErrorNote, Loaded } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import { deliveryStatuses } from '../../../words/status-words.ts';
import { useEndpoint } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { AttemptList, type DeliveryWithBody } from './attempt-list.tsx';
import { isTest, useDelivery, useRedeliver } from './deliveries.ts';
import { Exchange } from './exchange.tsx';

type Params = { id: string; deliveryId: string };

export function DeliveryPage() {
  const texts = useTexts();
  const { id = '', deliveryId = '' } = useParams<Params>();
  const query = useDelivery(id, deliveryId);
  const endpoint = useEndpoint(id, optional);
  const [chosen, setChosen] = useState<number | null>(null);
  const delivery = query.data;
  const heading = (
    <span className={styles['title']}>
      <code>{delivery?.event ?? texts.delivery}</code>
      {delivery && <StatusBadge words={deliveryStatuses} code={delivery.status} />}
    </span>
  );
  return (
    <Page
      title={texts.delivery}
      heading={heading}
      intro={<Link href={`/webhooks/${id}`}>{endpoint.data?.name ?? texts.webhooks}</Link>}
      actions={delivery && !isTest(delivery) && <Redeliver id={id} deliveryId={deliveryId} />}
    >
      <Loaded query={query}>
        {(found) => {
          const shown = chosen ?? found.attempts.length - 1;
          return (
            <>
              <Facts delivery={found} />
              <div className={styles['columns']}>
                <AttemptList delivery={found} chosen={shown} onChoose={setChosen} />
                <Exchange delivery={found} attempt={found.attempts[shown]} url={endpoint.data?.url ?? ''} />
              </div>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Facts({ delivery: { id, ticket, createdAt } }: { delivery: DeliveryWithBody }) {
  const texts = useTexts();
  return (
    <DescriptionList
      entries={[
        [texts.deliveryId, <Copyable key="id" text={id} name={texts.deliveryId} />],
        [texts.ticket, ticket && `${ticket.number} ${ticket.title ?? ''}`],
        [texts.age, <DateTime key="age" value={createdAt} />],
      ]}
    />
  );
}

function Redeliver({ id, deliveryId }: Params) {
  const texts = useTexts();
  const redeliver = useRedeliver(id, deliveryId);
  const send = () => redeliver.mutate(undefined, { onSuccess: () => announce(texts.redelivered) });
  return (
    <>
      <ErrorNote error={redeliver.error} faultsAreElsewhere={false} />
      <span className={styles['small']}>{texts.redeliverHint}</span>
      <Button variant="primary" isPending={redeliver.isPending} onPress={send}>
        {texts.redeliver}
      </Button>
    </>
  );
}
