import type { Erasures } from '@app/erasure';
import type { RestoreParticipant } from '@app/restore';
import type { AlertRecipientStore } from '../alerts/alert-recipient-store.ts';

type Deps = {
  recipients: Pick<AlertRecipientStore, 'page' | 'remove'>;
  erasures: Pick<Erasures, 'publishAgain'>;
};

const pageSize = 500;

/** What this service does after a restore, its own or another's. */
export function restoreParticipant({ recipients, erasures }: Deps): RestoreParticipant {
  return {
    tasks: { 'publish erasures': (_restore, after) => erasures.publishAgain(after) },
    known: {
      async users(after) {
        const page = await recipients.page(after, pageSize);
        const things = page.map(({ id, companyId }) => ({ id, label: `of company ${companyId}`, within: null }));
        return { things, next: page.length === pageSize ? (page.at(-1)?.id ?? null) : null };
      },
    },
    lost: { users: (things) => recipients.remove(things.map(({ id }) => id)) },
  };
}
