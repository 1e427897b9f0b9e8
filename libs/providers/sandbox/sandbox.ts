import { type HeardStatuses, refusalReasons } from '@app/contracts';
import type { Provider } from '../provider.ts';
import { verifySignature } from '../signature.ts';
import { connectSandbox } from './client.ts';

const heard: HeardStatuses = { taken_in_charge: { reasons: [] }, refused: { reasons: refusalReasons } };

/** The AP provider that ships with the platform (tools/demo/sandbox-provider). */
export const sandbox: Provider = {
  key: 'sandbox',
  name: 'Sandbox',
  capabilities: { statuses: heard, reversal: true, poll: true, webhook: true, oauth: false },
  connect: connectSandbox,
  verifySignature,
  format: 'sandbox',
};
