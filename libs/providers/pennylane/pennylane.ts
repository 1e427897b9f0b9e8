import type { Provider } from '../provider.ts';
import { verifySignature } from '../signature.ts';
import { connectPennylane } from './client.ts';
import { pennylaneStatuses } from './feedback.ts';

/** Pennylane, API v2. It sends webhooks for e-invoices alone: invoices from e-mail or uploads are found by polling. */
export const pennylane: Provider = {
  key: 'pennylane',
  name: 'Pennylane',
  capabilities: { statuses: pennylaneStatuses, reversal: false, poll: true, webhook: true, oauth: false },
  connect: connectPennylane,
  verifySignature,
  format: 'pennylane',
};
