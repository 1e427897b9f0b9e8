import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { formatNumber } from '../../../i18n/format.ts';
import { useLocale } from '../../../i18n/locale.tsx';
import { localInput, momentOf } from '../../../routing/local-moment.ts';
import { announce } from '../../../session/actions.ts';
import { type Endpoint, useRecover } from '../endpoints.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';

type Props = { endpoint: Endpoint; isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

const dayMs = 86_400_000;

/** Asks for a moment, shows how many deliveries failed since then, and sends them again on confirmation. */
export function RecoverDialog({ endpoint, isOpen, onOpenChange }: Props) {
  const texts = useTexts();
  return (
    <Dialog title={texts.recoverTitle} isOpen={isOpen} onOpenChange={onOpenChange}>
      <Steps endpoint={endpoint} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function Steps({ endpoint, onDone }: { endpoint: Endpoint; onDone: () => void }) {
  const texts = useTexts();
  const { locale, timeZone } = useLocale();
  const start = endpoint.healthSince ?? new Date(Date.now() - dayMs).toISOString();
  const [moment, setMoment] = useState(localInput(start, timeZone));
  const count = useRecover(endpoint.id);
  const recover = useRecover(endpoint.id);
  const since = momentOf(moment, timeZone);
  const found = count.data?.queued;
  const change = (value: string) => {
    setMoment(value);
    count.reset();
  };
  const queued = (answer: { queued: number }) => {
    onDone();
    announce(texts.queued(formatNumber(answer.queued, locale)));
  };
  return (
    <>
      <p>{texts.recoverText}</p>
      <Field label={texts.recoverMoment} type="datetime-local" value={moment} onChange={change} />
      <div role="status">
        {found !== undefined && (found > 0 ? texts.recoverCount(formatNumber(found, locale)) : texts.recoverNone)}
      </div>
      <ErrorNote error={count.error ?? recover.error} faultsAreElsewhere={false} />
      <div className={styles['buttons']}>
        <Button onPress={onDone}>{texts.cancel}</Button>
        {found ? (
          <Button
            variant="primary"
            isPending={recover.isPending}
            onPress={() => since && recover.mutate({ since }, { onSuccess: queued })}
          >
            {texts.recoverAction}
          </Button>
        ) : (
          <Button
            isDisabled={since === null}
            isPending={count.isPending}
            onPress={() => since && count.mutate({ since, dryRun: true })}
          >
            {texts.count}
          </Button>
        )}
      </div>
    </>
  );
}
