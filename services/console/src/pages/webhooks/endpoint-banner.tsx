import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { ErrorNote } from '../../components/states.tsx';
import { DateTime } from '../../components/values.tsx';
import { announce } from '../../session/actions.ts';
import { type Endpoint, useChangeEndpoint } from './endpoints.ts';
import { RecoverDialog } from './recover-dialog.tsx';
import { useTexts } from './texts.ts';
import styles from './webhooks.module.css';

/** Why nothing arrives, and the way back. Nothing while all is well. */
export function EndpointBanner({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const { active, health, healthSince, lastError, disabledReason } = endpoint;
  if (health === 'ok' && active) return null;
  const look = health === 'disabled' ? styles['disabled'] : !active && styles['paused'];
  return (
    <div className={classes(styles['banner'], look)}>
      <div>
        {health === 'disabled' && `${texts.disabled}${disabledReason ? `: ${disabledReason}` : ''}`}
        {health === 'failing' && active && (
          <>
            {texts.failingSince} {healthSince && <DateTime value={healthSince} />}
            {lastError && `: ${lastError}`}
          </>
        )}
        {!active && health !== 'disabled' && texts.inactive}
      </div>
      {!active && <Enable endpoint={endpoint} />}
    </div>
  );
}

/** Enables it at once; what it missed is offered to be sent again. */
function Enable({ endpoint }: { endpoint: Endpoint }) {
  const texts = useTexts();
  const [isRecovering, setRecovering] = useState(false);
  const change = useChangeEndpoint(endpoint.id);
  const enable = (then: () => void) => change.mutate({ active: true }, { onSuccess: then });
  const done = () => announce(texts.enabled(endpoint.name));
  return (
    <>
      <div className={styles['buttons']}>
        <ErrorNote error={change.error} faultsAreElsewhere={false} />
        <Button isPending={change.isPending} onPress={() => enable(done)}>
          {texts.enable}
        </Button>
        {endpoint.healthSince && (
          <Button variant="primary" isPending={change.isPending} onPress={() => enable(() => setRecovering(true))}>
            {texts.enableAndRecover} <DateTime value={endpoint.healthSince} />
          </Button>
        )}
      </div>
      <RecoverDialog endpoint={endpoint} isOpen={isRecovering} onOpenChange={setRecovering} />
    </>
  );
}
