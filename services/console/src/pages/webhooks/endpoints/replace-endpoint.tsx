import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { ShownOnce } from '../../../components/overlays/shown-once.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import { attemptWords } from '../deliveries/attempt-words.ts';
import { useTexts } from '../texts.ts';
import styles from '../webhooks.module.css';
import { type Endpoint, useCreateEndpoint, useDeleteEndpoint, useTestEndpoint } from './endpoints.ts';

/**
 * Changes the secret in three steps: a second endpoint with the same settings, a test of it, and the removal of the
 * old one.
 */
export function ReplaceEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={styles['replace']}>
      <p className={styles['small']}>{texts.replaceWhy}</p>
      <Button onPress={() => setOpen(true)}>{texts.replace}</Button>
      <Dialog title={texts.replaceTitle} isOpen={isOpen} onOpenChange={setOpen}>
        <Steps endpoint={endpoint} />
      </Dialog>
    </div>
  );
}

function Steps({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const create = useCreateEndpoint();
  const [isStored, setStored] = useState(false);
  const twin = create.data;
  const { name, url, events } = endpoint;
  return (
    <ol className={styles['steps']}>
      <li className={styles['step']}>
        <p>{texts.replaceTwin}</p>
        <ErrorNote error={create.error} faultsAreElsewhere={false} />
        {twin ? (
          <span className={styles['stepDone']}>{texts.twinMade}</span>
        ) : (
          <Button
            isPending={create.isPending}
            onPress={() => create.mutate({ name: texts.twinName(name).slice(0, 100), url, events })}
          >
            {texts.makeTwin}
          </Button>
        )}
      </li>
      <li className={styles['step']}>
        <p>{texts.replaceTest}</p>
        {twin && isStored && <TestTwin id={twin.id} />}
      </li>
      <li className={styles['step']}>
        <p>{texts.replaceEnd}</p>
        {twin && isStored && <DeleteOld endpoint={endpoint} twinId={twin.id} />}
      </li>
      <ShownOnce
        title={texts.secretTitle}
        secret={twin && !isStored ? twin.secret : null}
        onDone={() => setStored(true)}
      >
        {texts.secretWhy}
      </ShownOnce>
    </ol>
  );
}

function TestTwin({ id }: { id: string }) {
  const texts = useTexts();
  const test = useTestEndpoint(id);
  const result = test.data;
  return (
    <>
      <Button isPending={test.isPending} onPress={() => test.mutate()}>
        {texts.test}
      </Button>
      <ErrorNote error={test.error} faultsAreElsewhere={false} />
      <div role="status">
        {result?.success && texts.tested(result.statusCode ?? 0)}
        {result && !result.success && texts.testFailed(attemptWords(result, texts))}
      </div>
    </>
  );
}

function DeleteOld({ endpoint, twinId }: { endpoint: Endpoint; twinId: string }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const remove = useDeleteEndpoint(endpoint.id);
  const confirm = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        announce(texts.removed(endpoint.name));
        navigate(`/webhooks/${twinId}`);
      },
    });
  return (
    <>
      <ErrorNote error={remove.error} faultsAreElsewhere={false} />
      <Button variant="danger" isPending={remove.isPending} onPress={confirm}>
        {texts.deleteOld}
      </Button>
    </>
  );
}
