import type { ReportedStatus } from '@app/contracts';

/** What a supplier or a platform said of an invoice; `id` identifies the message among those of the client, `status` is a code such as 212. */
export type ReceivedStatus = Pick<ReportedStatus, 'status' | 'reasons'> & { id: string; at: Date };
