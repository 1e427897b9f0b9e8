import { createBatcher, type Logger, type SecretBox } from '@app/runtime';
import { type Attempt, type Delivery, type Outcome, outcomeOf, testEvent } from './delivery.ts';
import type { DeliveryLogStore, LoneAttempt } from './delivery-log-store.ts';
import type { DeliveryStore, Lease, RecordedAttempt } from './delivery-store.ts';
import type { Endpoint } from './endpoint.ts';
import type { Session, Target } from './endpoint-store.ts';
import type { FailureStore } from './failure-store.ts';
import { createGathering } from './gather.ts';
import { showsFailure } from './health.ts';
import type { Failure, NoticeStore } from './notice-store.ts';
import type { Post, ReceiverClient } from './receiver-client.ts';
import { createRows } from './row.ts';
import { signatureHeader } from './signature.ts';
import type { Storing, Written } from './storing.ts';
import type { KnownTarget } from './target-store.ts';

/** What one attempt needs: a delivery that is ours to attempt, new or claimed. */
export type Job = KnownTarget & { delivery: Delivery; lease: Lease; storing: Storing<Lease> };

export type Deliverer = {
  /** sign → POST, bounded in time; recorded by the caller. */
  send(delivery: Delivery, target: Target): Promise<Attempt>;
  /** Stores a new delivery, together with others; false where it was there already. */
  add(written: Written<Lease>): Promise<boolean>;
  /** Stores what came of it. */
  record(job: Job, attempt: Attempt): Promise<Recorded>;
};

/** Whether that disabled the endpoint, and what is still to be done, which no other delivery need wait for. */
export type Recorded = { disabled: boolean; followUp?: () => Promise<unknown> };

export type DelivererDeps = {
  endpoints: FailureStore;
  deliveries: DeliveryStore;
  log: Pick<DeliveryLogStore, 'keep'>;
  notices: Pick<NoticeStore, 'failing'>;
  client: ReceiverClient;
  secrets: SecretBox;
  transaction: <T>(work: (session: Session) => Promise<T>) => Promise<T>;
  retryDelaysMs: readonly number[];
  logger: Logger;
  /** Told of what happens: the metrics. */
  observe: { attempted(attempt: Attempt): void; disabled(): void };
};

type Ended = { attempt: Attempt; outcome: Outcome; isTest: boolean; after: Promise<void> };

const userAgent = 'Facility-Platform-Webhooks/1.0';
/** Deliveries of one command to MongoDB. */
const written = 500;
/**
 * Nobody waits for a new delivery to be stored but the broker for its acknowledgement: so long it waits for others, because each
 * write is a wait of its own for the journal, of the disk that the next event needs too.
 */
const together = { longestMs: 25, enough: 16 };

function grouped<Item>(write: (items: Item[]) => Promise<void>, { once = false } = {}) {
  return createBatcher({
    maxBatch: written,
    once,
    async run(items: Item[]) {
      await write(items);
      return items.map(() => undefined);
    },
  });
}

function signed(delivery: Delivery, target: Target, secret: string): Post {
  const body = Buffer.from(delivery.body);
  return {
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
  };
}

function unsent(): Attempt {
  return { at: new Date(), statusCode: null, durationMs: 0, error: 'secret_unreadable', responseBody: null };
}

/** One attempt of one delivery: sign → POST → record. */
export function createDeliverer(deps: DelivererDeps): Deliverer {
  const { endpoints, deliveries, client, secrets, logger } = deps;
  const additions = createBatcher({
    maxBatch: written,
    async run(entries: Written<Lease>[]) {
      const added = await deliveries.add(entries);
      return entries.map(({ delivery }) => added.has(delivery.id));
    },
  });
  const gathered = createGathering(together);
  const results = grouped((recorded: RecordedAttempt[]) => deliveries.recordAll(recorded), { once: true });
  const resets = grouped((ids: string[]) => endpoints.resetFailures(ids));
  const spells = grouped((ids: string[]) => endpoints.endSpells(ids));
  const rows = createRows((endpointId) => resets.add(endpointId).then(() => undefined));
  const strays = grouped((sent: LoneAttempt[]) => deps.log.keep(sent), { once: true });
  const failures = grouped((failed: Failure[]) => deps.notices.failing(failed));
  /** For as long as what was read of the endpoint is in use, which is about a second: many deliveries share it. */
  const opened = new WeakMap<Target, string>();

  async function add(entry: Written<Lease>): Promise<boolean> {
    await Promise.all([gathered(), entry.after]);
    return additions.add(entry);
  }

  async function send(delivery: Delivery, target: Target): Promise<Attempt> {
    const secret = secretOf(target);
    const attempt = secret === null ? unsent() : await client.post(signed(delivery, target, secret));
    deps.observe.attempted(attempt);
    return attempt;
  }

  function secretOf(target: Target): string | null {
    const { sealedSecret, id: endpointId } = target;
    try {
      const secret = opened.get(target) ?? secrets.open(sealedSecret, endpointId);
      opened.set(target, secret);
      return secret;
    } catch (error) {
      logger.error('the secret of a webhook endpoint cannot be opened', { endpointId, error });
      return null;
    }
  }

  async function record(job: Job, attempt: Attempt): Promise<Recorded> {
    const { delivery, target } = job;
    const outcome = outcomeOf(attempt, delivery.tries, deps.retryDelaysMs);
    logAttempt(delivery, attempt, outcome);
    const isTest = delivery.event === testEvent;
    const arrived = outcome.status === 'succeeded' && !isTest;
    // Before it is stored, so that a crash in between has it made again, and never leaves a row that goes on past what arrived.
    const after = arrived ? rows.arrived(target.id) : Promise.resolve();
    const stopped = await recordOutcome(job, { attempt, outcome, isTest, after });
    // Of an event that came twice somebody else records what becomes of it, and yet this was sent as well.
    if (!(await job.storing.ended)) await strays.add({ id: delivery.id, attempt });
    if (stopped) return { disabled: true, followUp: () => deliveries.cancelWaiting(target.id, stopped) };
    if (isTest) return { disabled: false };
    // Last: whoever calls the endpoint failing has looked for what is stored.
    if (arrived) return { disabled: false, followUp: () => spells.add(target.id) };
    const isFailing = target.trouble === undefined && showsFailure(outcome, delivery.tries + 1);
    if (!isFailing) return { disabled: false };
    const failure = { endpointId: target.id, createdAt: delivery.createdAt, attempt };
    return { disabled: false, followUp: () => failures.add(failure) };
  }

  async function recordOutcome({ delivery, target, lease, storing }: Job, { attempt, outcome, isTest, after }: Ended) {
    const counts = outcome.status === 'exhausted' && !isTest && attempt.error !== 'secret_unreadable';
    if (!counts && !storing.begun()) {
      // Nothing was written of it yet: one write for the delivery and its first attempt.
      const attempted = { ...delivery, ...outcome, tries: delivery.tries + 1, attempts: [attempt] };
      await storing.write({ delivery: attempted, lease: null, after });
    } else {
      const stored = storing.write({ delivery, lease });
      const recorded = { id: delivery.id, lease, attempt, outcome };
      // Where it was there before, from an event that came twice, somebody else records what becomes of it.
      const recordAlone = async () => {
        const [isOurs] = await Promise.all([stored, after]);
        if (isOurs) await results.add(recorded);
        return null;
      };
      const count = async () => ((await stored) ? recordExhausted(target, recorded) : null);
      return counts ? rows.exhausted(target.id, count, recordAlone) : recordAlone();
    }
    return null;
  }

  /** Delivery and endpoint together, so that a crash between the two neither loses nor doubles a count. */
  async function recordExhausted(target: Target, recorded: RecordedAttempt): Promise<Endpoint | null> {
    const at = new Date();
    const disabled = await deps.transaction(async (session) => {
      if (!(await deliveries.record(recorded, session))) return null;
      return endpoints.countExhausted(target.id, { at, attempt: recorded.attempt }, session);
    });
    if (!disabled) return null;
    deps.observe.disabled();
    logger.warn('webhook endpoint disabled', { endpointId: target.id, companyId: target.companyId });
    return disabled;
  }

  function logAttempt(delivery: Delivery, { statusCode, durationMs, error }: Attempt, outcome: Outcome): void {
    const { id: deliveryId, endpointId, event, origin } = delivery;
    const ids = { deliveryId, endpointId, event, eventId: origin?.eventId, eventTime: origin?.eventTime };
    const fields = { ...ids, attempt: delivery.tries + 1, statusCode, durationMs, failure: error, ...outcome };
    if (error === null) logger.debug('delivery attempted', fields);
    else logger.info('delivery attempt failed', fields);
  }

  return { send, add, record };
}
