import { type Heard, startListener } from '@app/listen';

export type ReceivedEvent = {
  event: string;
  delivery: string | null;
  data: Record<string, unknown>;
  fault: string | null;
};

export type DemoReceiver = { url: string; events: ReceivedEvent[]; trust(secret: string): void; close(): void };

/** The subscriber of the demo: keeps what arrives, verified, and answers 400 to what is not signed as it should be. */
export async function startDemoReceiver(authorityDir: string): Promise<DemoReceiver> {
  const events: ReceivedEvent[] = [];
  const secrets: string[] = [];
  const listener = await startListener({
    authorityDir,
    secrets: () => secrets,
    hear: (heard) => void events.push(received(heard)),
  });
  return { ...listener, events, trust: (secret) => void secrets.push(secret) };
}

function received(heard: Heard): ReceivedEvent {
  if (!heard.genuine) return { event: 'unknown', delivery: heard.delivery, data: {}, fault: heard.fault };
  const { event, delivery, data } = heard.event;
  return { event, delivery, data, fault: null };
}
