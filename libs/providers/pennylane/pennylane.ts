import type { Provider } from '../provider.ts';
import { verifySignature } from '../signature.ts';
import { connectPennylane } from './client.ts';

/** Pennylane, API v2 (domain.md 2.1). Its webhooks tell of e-invoices alone: what comes by mail or upload is polled. */
export const pennylane: Provider = {
  key: 'pennylane',
  capabilities: { feedback: true, poll: true, webhook: true },
  connect: connectPennylane,
  verifySignature,
  format: 'pennylane',
};
