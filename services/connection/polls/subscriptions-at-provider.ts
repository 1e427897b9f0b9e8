import { isAbsent, type ProviderClient, type WebhookSubscriptions } from '@app/providers';
import type { Logger, SecretBox } from '@app/runtime';
import { type ProviderAccount, sealContext } from '../connections/connection.ts';
import type { PollLease } from './poll-store.ts';
import type { SubscriptionStore } from './subscription-store.ts';

type Deps = {
  subscriptions: SubscriptionStore;
  secrets: SecretBox;
  /** Of the second API as providers reach it; undefined: no subscription is made. */
  publicUrl: string | undefined;
  logger: Logger;
  now: () => Date;
};

/** A connection under the lease of its poll, which one process has at a time. */
type Held = { account: ProviderAccount; lease: PollLease; client: ProviderClient; signal: AbortSignal };

export type SubscriptionsAtProvider = ReturnType<typeof createSubscriptionsAtProvider>;

const checkEveryMs = 24 * 3_600_000;

export function createSubscriptionsAtProvider(deps: Deps) {
  const { subscriptions, secrets, publicUrl, logger, now } = deps;

  /** Another subscription with the connection's address has a key that is not known, so it is ended. */
  async function renew({ account, lease, signal }: Held, atProvider: WebhookSubscriptions): Promise<void> {
    const { id, provider, subscription } = account;
    const callbackUrl = `${publicUrl?.replace(/\/$/, '')}/webhooks/invoice-providers/${provider}/${id}`;
    const listed = await atProvider.list(signal);
    const isOurs = (one: (typeof listed)[number]) =>
      one.id === subscription?.id && (one.callbackUrl ?? callbackUrl) === callbackUrl;
    if (listed.some(isOurs)) return;
    for (const old of listed.filter((one) => one.callbackUrl === callbackUrl)) await atProvider.remove(old.id, signal);
    const added = await atProvider.add(callbackUrl, signal);
    const sealedSigningKey = secrets.seal(added.signingKey, sealContext(id, 'signingKey'));
    const isSaved = await subscriptions.save(id, lease, { id: added.id, sealedSigningKey });
    if (!isSaved) await atProvider.remove(added.id, signal);
    logger.info('subscribed at a provider', { connectionId: id, kept: isSaved });
  }

  return {
    /** Makes the connection's subscription, or a new one if it is gone; asks the provider once a day. Never fails: polls do without. */
    async ensure(held: Held): Promise<void> {
      const { account, lease, client } = held;
      const { id, subscriptionCheckedAt: checkedAt } = account;
      const ageMs = checkedAt === null ? null : now().getTime() - checkedAt.getTime();
      const isRecent = ageMs !== null && ageMs >= 0 && ageMs < checkEveryMs;
      if (!publicUrl || !client.subscriptions || isRecent) return;
      try {
        await renew(held, client.subscriptions);
        await subscriptions.markChecked(id, lease, now());
      } catch (error) {
        logger.warn('a connection could not subscribe at its provider', { connectionId: id, reason: String(error) });
        // It may have no webhooks at all. Any other failure is tried again with the next poll.
        if (isAbsent(error)) await subscriptions.markChecked(id, lease, now());
      }
    },
    /** Ends the subscription. @throws ProviderError */
    async end({ account: { id, subscription }, lease, client, signal }: Held): Promise<void> {
      if (subscription) await client.subscriptions?.remove(subscription.id, signal);
      await subscriptions.forget(id, lease);
      logger.info('subscription at a provider ended', { connectionId: id });
    },
  };
}
