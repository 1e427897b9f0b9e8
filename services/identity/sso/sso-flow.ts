import { hashOf } from '../random-secret.ts';

/**
 * A started sign-in, while the browser is at the provider. It stores only hashes: the browser has
 * the secret, and the provider gives `state` back.
 */
export type SsoFlow = {
  /** Hash of `state`, which the provider hands back. */
  id: string;
  /** Hash of the browser's secret, so that a link cannot sign somebody in as another user. */
  browser: string;
  company_id: string;
  /** The version of the settings that it began with. */
  version: string;
  /** The local path to show afterwards. */
  return_to: string;
  expires_at: Date;
};

export type FlowSecrets = { browser: string; state: string };

export const flowLifetimeMs = 10 * 60_000;

export function startFlow(
  { browser, state }: FlowSecrets,
  // Named: whoever gives whole settings has their secret in them.
  { company_id, version, return_to }: Pick<SsoFlow, 'company_id' | 'version' | 'return_to'>,
  at: Date,
): SsoFlow {
  const expires_at = new Date(at.getTime() + flowLifetimeMs);
  return { id: hashOf(state), browser: hashOf(browser), company_id, version, return_to, expires_at };
}

/**
 * The nonce and the PKCE verifier. They are derived from the browser's secret, so they need not be stored and nobody
 * else can compute them.
 */
export function proofsOf({ browser, state }: FlowSecrets): { nonce: string; verifier: string } {
  return { nonce: hashOf(`nonce ${browser} ${state}`), verifier: hashOf(`verifier ${browser} ${state}`) };
}
