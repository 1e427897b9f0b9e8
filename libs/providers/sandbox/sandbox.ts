import type { Provider } from '../provider.ts';
import { verifySignature } from '../signature.ts';
import { connectSandbox } from './client.ts';

/** The AP provider that ships with the platform (tools/demo/sandbox-provider). */
export const sandbox: Provider = {
  key: 'sandbox',
  name: 'Sandbox',
  capabilities: { feedback: true, refusal: true, poll: true, webhook: true, oauth: false },
  connect: connectSandbox,
  verifySignature,
  format: 'sandbox',
};
