import { useState } from 'react';
import { useParams } from 'wouter';
import { StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Page } from '../../components/page.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { Copyable, DateTime } from '../../components/values.tsx';
import { announce } from '../../session/actions.ts';
import { deliveryStatuses } from '../../words/status-words.ts';
import { AttemptList } from './attempt-list.tsx';
import { useDelivery, useRedeliver } from './deliveries.ts';
import { useEndpoint } from './endpoints.ts';
import { Exchange } from './exchange.tsx';
import { useTexts } from './texts.ts';
import styles from './webhooks.module.css';

type Params = { id: string; deliveryId: string };

export function DeliveryPage() {
  const texts = useTexts();
  const { id = '', deliveryId = '' } = useParams<Params>();
  const query = useDelivery(id, deliveryId);
  const endpoint = useEndpoint(id);
  const [chosen, setChosen] = useState<number | null>(null);
  const delivery = query.data;
  const heading = (
    <span className={styles['title']}>
      <code>{delivery?.event ?? texts.delivery}</code>
      {delivery && <StatusBadge words={deliveryStatuses} code={delivery.status} />}
    </span>
  );
  return (
    <Page title={texts.delivery} heading={heading} actions={<Redeliver id={id} deliveryId={deliveryId} />}>
      <Loaded query={query}>
        {(found) => {
          const shown = chosen ?? found.attempts.length - 1;
          return (
            <>
              <dl className={styles['facts']}>
                <dt>{texts.delivery}</dt>
                <dd>
                  <Copyable text={found.id} name={texts.delivery} />
                </dd>
                {found.ticket && (
                  <>
                    <dt>{texts.ticket}</dt>
                    <dd>{`${found.ticket.number} ${found.ticket.title ?? ''}`}</dd>
                  </>
                )}
                <dt>{texts.age}</dt>
                <dd>
                  <DateTime value={found.createdAt} />
                </dd>
              </dl>
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
