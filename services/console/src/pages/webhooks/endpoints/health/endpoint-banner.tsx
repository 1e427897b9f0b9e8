import { useState } from 'react';
import { Button } from '../../../../components/button.tsx';
import { classes } from '../../../../components/classes.ts';
import { DateTime } from '../../../../components/data-display/values.tsx';
import { EnglishText } from '../../../../components/error-text.tsx';
import { ErrorNote } from '../../../../components/states.tsx';
import { announce } from '../../../../session/actions.ts';
import { RecoverDialog } from '../../deliveries/recover-dialog.tsx';
import { type Endpoint, useChangeEndpoint } from '../../endpoints.ts';
import { useTexts } from '../../texts.ts';
import styles from '../../webhooks.module.css';
import { LastError } from './last-error.tsx';

/**
 * Says why nothing arrives, with the action that mends it. For a healthy endpoint it shows only the dialog of a
 * recovery that was begun.
 */
export function EndpointBanner({ endpoint }: { endpoint: Endpoint }) {
  const [isRecovering, setRecovering] = useState(false);
  const { active, health } = endpoint;
  const look = health === 'disabled' ? styles['disabled'] : !active && styles['paused'];
  return (
    <>
      {(health !== 'ok' || !active) && (
        <div className={classes(styles['banner'], look)}>
          <Why endpoint={endpoint} />
          {!active && <Enable endpoint={endpoint} onRecover={() => setRecovering(true)} />}
        </div>
      )}
      <RecoverDialog endpoint={endpoint} isOpen={isRecovering} onOpenChange={setRecovering} />
    </>
  );
}

function Why({ endpoint: { active, health, healthSince, lastError, disabledReason } }: { endpoint: Endpoint }) {
  const texts = useTexts();
  if (health === 'disabled') {
    if (!disabledReason) return <div>{texts.disabled}</div>;
    return (
      <div>
        {texts.labelled(texts.disabled, '')}
        <EnglishText>{disabledReason}</EnglishText>
      </div>
    );
  }
  if (!active) return <div>{texts.inactive}</div>;
  return (
    <div>
      {texts.failingSince} {healthSince && <DateTime value={healthSince} />}
      {lastError && (
        <>
          {texts.labelled('', '')}
          <LastError said={lastError} />
        </>
      )}
    </div>
  );
}

/** Enables the endpoint at once, and offers to send what it missed. */
function Enable({ endpoint, onRecover }: { endpoint: Endpoint; onRecover: () => void }) {
  const texts = useTexts();
  const { name, healthSince } = endpoint;
  const change = useChangeEndpoint(endpoint.id);
  // Not a callback of the mutation: the banner unmounts before it would run.
  const enable = async (then?: () => void) => {
    await change.mutateAsync({ active: true });
    announce(texts.enabled(name));
    then?.();
  };
  const quietly = (enabling: Promise<void>) => void enabling.catch(() => undefined);
  return (
    <div className={styles['buttons']}>
      <ErrorNote error={change.error} faultsAreElsewhere={false} />
      <Button isPending={change.isPending} onPress={() => quietly(enable())}>
        {texts.enable}
      </Button>
      {healthSince && (
        <Button variant="primary" isPending={change.isPending} onPress={() => quietly(enable(onRecover))}>
          {texts.enableAndRecover} <DateTime value={healthSince} />
        </Button>
      )}
    </div>
  );
}
