import type { RestoreParticipant } from '@app/service/restore';
import type { JobStore } from '../jobs/job-store.ts';

type Deps = { jobs: Pick<JobStore, 'fetchAgain'>; now: () => Date };

/** What this service does after a restore of another one. */
export function restoreParticipant({ jobs, now }: Deps): RestoreParticipant {
  return {
    tasks: {
      /** Reconciliation may have lost what was fetched since the backup. */
      async 'fetch again'({ since }) {
        await jobs.fetchAgain(new Date(since), now());
        return { events: [], next: null };
      },
    },
  };
}
