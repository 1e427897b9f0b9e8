import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Behaviour, behaviours, type Received, startReceiver } from '@app/testing';
import type { Ledger } from './ledger.ts';

/** An event that arrived, as its receiver recorded it. */
export type ReceivedEvent = { key: string; delivery: string; createdAt: string; event: string };

export type Endpoint = {
  path: string;
  name: string;
  /** Set once the subscription is made. */
  secret: string;
  events: ReceivedEvent[];
};

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** A delivery goes wrong at most that often by the receiver's fault, so that its retries are never used up. */
const maxFailures = 2;
const slowMs = 9_900;

const misbehaviours: Behaviour[] = [
  (_req, res) => void res.writeHead(500).end('out of order'),
  // As late as is allowed, and sometimes later.
  (_req, res) => void setTimeout(() => res.writeHead(200).end(), slowMs).unref(),
  behaviours.cut,
  behaviours.reset,
  behaviours.endless,
];

/**
 * Receivers of webhooks: one server, a path for each endpoint. They verify signatures, record
 * events, and fail some first attempts.
 */
export async function startReceivers(options: { certificatesDir: string; seed: number; ledger: Ledger }) {
  const { certificatesDir, seed, ledger } = options;
  const receiver = await startReceiver([], certificatesDir);
  const failures = new Map<string, number>();
  const bodies = new Map<string, string>();
  let failureShare = 0.05;
  let failed = 0;

  /** By the delivery's id and attempt, so that it does not depend on the order of arrival. */
  function misbehaviourFor(delivery: string): Behaviour | null {
    const count = failures.get(delivery) ?? 0;
    const draw = createHash('sha256').update(`${seed} ${delivery} ${count}`).digest().readUInt32LE();
    if (count >= maxFailures || draw / 2 ** 32 >= failureShare) return null;
    failures.set(delivery, count + 1);
    failed += 1;
    return misbehaviours[draw % misbehaviours.length] as Behaviour;
  }

  function take(endpoint: Endpoint, { headers, body }: Received): void {
    const delivery = String(headers['x-service-delivery']);
    const text = body.toString('utf8');
    if (!isSigned(headers['x-service-signature'], text, endpoint.secret))
      ledger.violate(`${endpoint.name}: delivery ${delivery} has a wrong signature`);
    const before = bodies.get(delivery);
    if (before !== undefined && before !== text)
      ledger.violate(`${endpoint.name}: delivery ${delivery} was repeated with another body`);
    bodies.set(delivery, text);
    endpoint.events.push(receivedEvent(delivery, text));
  }

  return {
    receiver,
    add(name: string): Endpoint {
      const endpoint: Endpoint = { name, path: `/${name}`, secret: '', events: [] };
      receiver.behave((req, res, received) => {
        // Recorded before it is answered: an event counts as received even if the receiver then
        // fails.
        take(endpoint, received);
        const delivery = String(received.headers['x-service-delivery']);
        (misbehaviourFor(delivery) ?? behaviours.ok)(req, res, received);
      }, endpoint.path);
      return endpoint;
    },
    /** From now on, that share of first attempts goes wrong. */
    setFailureShare(share: number): void {
      failureShare = share;
    },
    /** How many attempts have gone wrong. */
    failures: (): number => failed,
    close: (): Promise<void> => receiver.close(),
  };
}

type Data = {
  ticket: { id: string };
  status?: { from: string | null; to: string };
  message?: { text: string };
  date?: { date: string };
  document?: { id: string };
  purchase?: { id: string };
  quote?: { id: string };
  invoice?: { id: string };
};

/** What an event says happened, in one line that the comparison can also derive from what is stored. */
function receivedEvent(delivery: string, text: string): ReceivedEvent {
  const { event, created_at: createdAt, data } = JSON.parse(text) as { event: string; created_at: string; data: Data };
  const { status, message, date, document, purchase, quote, invoice } = data;
  const thing = document ?? purchase ?? quote ?? invoice;
  const what = status ? `${status.from}>${status.to}` : (message?.text ?? date?.date ?? thing?.id);
  return { key: `${event} ${data.ticket.id} ${what}`, delivery, createdAt, event };
}

/** Without the age: the clocks of the platform may be off here. */
function isSigned(header: unknown, body: string, secret: string): boolean {
  const [, t, v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(header)) ?? [];
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest();
  const given = Buffer.from(v1, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
