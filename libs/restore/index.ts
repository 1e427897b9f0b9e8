export { newestCreation } from './newest-id.ts';
export { existingIn, knownIn, readPage } from './pages.ts';
export { raiseVersions } from './raise-versions.ts';
export type { KnownPage, RestoredDatabase, RestorePage, RestoreParts } from './restore-parts.ts';
export { restorePlans } from './restore-plan.ts';
export { createRestoreRecords, type RestoreRecords } from './restore-records.ts';
export { reportIfLost, restoreSubscription } from './restore-subscription.ts';
