import { serveTasks } from '@app/runtime/workers';
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

serveTasks(read);
