import type { Erasures } from '@app/service/erasure';
import type { RestoreParticipant } from '@app/service/restore';

type Deps = {
  erasures: Pick<Erasures, 'publishAgain'>;
};

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({ erasures }: Deps): RestoreParticipant {
  return {
    tasks: { 'publish erasures': (_restore, after) => erasures.publishAgain(after) },
  };
}
