export { newestCreation } from './newest-creation.ts';
export { raiseVersions } from './raise-versions.ts';
export { existingIn, knownIn } from './restore-pages.ts';
export type { RestoredDatabase, RestorePage, RestoreParticipant } from './restore-participant.ts';
export { restorePlans } from './restore-plan.ts';
export { createRestoreRecords, type RestoreRecords } from './restore-records.ts';
export { reportIfLost, restoreSubscription } from './restore-subscription.ts';
