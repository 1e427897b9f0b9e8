import type { Logger } from '@app/runtime';
import { type Attempt, type Delivery, type Outcome, outcomeOf, testEvent } from './delivery.ts';
import type { DeliveryStore, Lease, RecordedAttempt } from './delivery-store.ts';
import type { EndpointStore, Session, Target } from './endpoint-store.ts';
import type { ReceiverClient } from './receiver-client.ts';
import type { SecretBox } from './secret-box.ts';
import { signatureHeader } from './signature.ts';

/** A claimed delivery: what one attempt needs. */
export type Job = { delivery: Delivery; target: Target; lease: Lease };

export type Deliverer = {
  /** sign → POST, bounded in time; recorded by the caller. */
  send(delivery: Delivery, target: Target): Promise<Attempt>;
  /** Stores what came of it, and what follows; true where that disabled the endpoint. */
  record(job: Job, attempt: Attempt): Promise<boolean>;
};

export type DelivererDeps = {
  endpoints: EndpointStore;
  deliveries: DeliveryStore;
  client: ReceiverClient;
  secrets: SecretBox;
  transaction: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  retryDelaysMs: readonly number[];
  logger: Logger;
  /** Told of each attempt: the metrics. */
  observe: (attempt: Attempt) => void;
};

const userAgent = 'Facility-Platform-Webhooks/1.0';

/** One attempt of one delivery: sign → POST → record. */
export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { endpoints, deliveries, client, secrets, logger } = deps;

  async function send(delivery: Delivery, target: Target): Promise<Attempt> {
    const body = Buffer.from(delivery.body);
    const secret = secrets.open(target.sealedSecret, target.id);
    const attempt = await client.post({
      endpointId: target.id,
      url: target.url,
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': userAgent,
        Accept: '*/*',
        'Accept-Encoding': 'identity',
        'X-Service-Event': delivery.event,
        'X-Service-Delivery': delivery.id,
        'X-Service-Signature': signatureHeader(secret, body, new Date()),
      },
    });
    deps.observe(attempt);
    return attempt;
  }

  async function record({ delivery, target, lease }: Job, attempt: Attempt): Promise<boolean> {
    const outcome = outcomeOf(attempt, delivery.tries, deps.retryDelaysMs);
    const recorded = { id: delivery.id, lease, attempt, outcome };
    logAttempt(delivery, attempt, outcome);
    const isTest = delivery.event === testEvent;
    if (outcome.status === 'exhausted' && !isTest) return recordExhausted(target, recorded);
    await deliveries.record(recorded);
    if (outcome.status === 'succeeded' && !isTest && target.consecutiveFailures > 0) {
      await endpoints.resetFailures(target.id);
    }
    return false;
  }

  /** Delivery and endpoint together, so that a crash between the two neither loses nor doubles a count. */
  async function recordExhausted(target: Target, recorded: RecordedAttempt): Promise<boolean> {
    const at = new Date();
    const disabled = await deps.transaction(async (session) => {
      if (!(await deliveries.record(recorded, session))) return false;
      return endpoints.countExhausted(target.id, at, session);
    });
    if (!disabled) return false;
    logger.warn('webhook endpoint disabled', { endpointId: target.id, companyId: target.companyId });
    await deliveries.cancelWaiting(target.id, at);
    return true;
  }

  function logAttempt(delivery: Delivery, { statusCode, durationMs, error }: Attempt, outcome: Outcome): void {
    const ids = { deliveryId: delivery.id, endpointId: delivery.endpointId, event: delivery.event };
    const fields = { ...ids, attempt: delivery.tries + 1, statusCode, durationMs, failure: error, ...outcome };
    if (error === null) logger.debug('delivery attempted', fields);
    else logger.info('delivery attempt failed', fields);
  }

  return { send, record };
}
