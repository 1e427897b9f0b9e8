import type { Erasures } from '@app/service/erasure';
import type { RestoreParticipant } from '@app/service/restore';
import type { AlertRecipientStore } from '../alerts/alert-recipient-store.ts';

type Deps = {
  recipients: Pick<AlertRecipientStore, 'known' | 'remove'>;
  erasures: Pick<Erasures, 'publishAgain'>;
};

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({ recipients, erasures }: Deps): RestoreParticipant {
  return {
    tasks: { 'publish erasures': (_restore, after) => erasures.publishAgain(after) },
    known: { users: recipients.known },
    lost: { users: (things) => recipients.remove(things.map(({ id }) => id)) },
  };
}
