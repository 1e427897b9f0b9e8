import type { Provider } from '../provider.ts';
import { verifySignature } from '../signature.ts';
import { connectAfnor } from './client.ts';

/**
 * Approved French platforms, which all offer the flow service of XP Z12-013 (domain.md 2.4).
 * @param key `afnor`, or `afnor-<name>` for a further platform
 */
export function afnorPlatform(key: string): Provider {
  return {
    key,
    capabilities: { feedback: true, poll: true, webhook: true },
    connect: connectAfnor,
    verifySignature,
    format: 'afnor',
  };
}

export const afnor: Provider = afnorPlatform('afnor');
