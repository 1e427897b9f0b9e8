/** The status of an invoice that the provider has deleted. */
export const deletedStatus = 'deleted';

/** Provider statuses after which an invoice must not be linked any more; the numbers are those of the French reform. */
const endedStatus = /^(refused|rejected|cancell?ed|deleted|210|213|220)$/i;

export function hasEnded(providerStatus: string | null): boolean {
  return endedStatus.test(providerStatus ?? '');
}
