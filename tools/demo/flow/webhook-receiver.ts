import { type ReceivedWebhook, startListener } from '../listen/listener.ts';

export type ReceivedEvent = {
  event: string;
  delivery: string | null;
  data: Record<string, unknown>;
  /** Why it did not verify; null if it did. */
  error: string | null;
};

export type DemoReceiver = { url: string; events: ReceivedEvent[]; addSecret(secret: string): void; close(): void };

/** The demo's subscriber: verifies and keeps what arrives, and responds 400 to an invalid signature. */
export async function startDemoReceiver(options: { authorityDir: string; host: string }): Promise<DemoReceiver> {
  const events: ReceivedEvent[] = [];
  const secrets: string[] = [];
  const listener = await startListener({
    ...options,
    secrets: () => secrets,
    onWebhook(webhook) {
      const event = toEvent(webhook);
      // A delivery may come again, until one answer to it has arrived.
      const isKnown = event.delivery !== null && events.some(({ delivery }) => delivery === event.delivery);
      if (!isKnown) events.push(event);
    },
  });
  return { ...listener, events, addSecret: (secret) => void secrets.push(secret) };
}

function toEvent(webhook: ReceivedWebhook): ReceivedEvent {
  if (!webhook.valid) return { event: 'unknown', delivery: webhook.delivery, data: {}, error: webhook.reason };
  const { event, delivery, data } = webhook.event;
  return { event, delivery, data, error: null };
}
