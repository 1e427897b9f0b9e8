import { type InboundContent, readMail } from './read-mail.ts';

/** The program of the workers that read e-mails of strangers, one after the other. */
export type Task = { raw: Uint8Array };
export type Outcome = { content: InboundContent } | { refused: string };

async function read({ raw }: Task): Promise<Outcome> {
  try {
    return { content: await readMail(raw) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

// A signal to the process group is for the service, which kills its workers; without the service the channel closes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('message', async (task: Task) => {
  const before = process.cpuUsage();
  const result = await read(task);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ result, cpuMs: (user + system) / 1000 });
});
process.send?.('started');
