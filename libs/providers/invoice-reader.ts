import { join } from 'node:path';
import { AppError } from '@app/kernel';
import { createFairSemaphore } from './fair-semaphore.ts';
import type { Format, Payload, Read } from './formats.ts';
import type { Outcome, Task } from './read-worker.ts';
import { createWorkerPool, WorkerEnded } from './worker-pool.ts';

export type Reading<F extends Format> = {
  format: F;
  /** Whose document it is: turns are fair between owners. */
  owner: string;
  /** Called when its turn has come; calls `use` with the bytes, which are the reader's from then on. */
  withPayload: <T>(use: (payload: Payload) => Promise<T>) => Promise<T>;
};

/**
 * Reads payloads and documents of providers in processes of their own, so that none keeps this one from anything else: each is
 * ended after 3 s, or where it takes more memory than any invoice needs.
 */
export type InvoiceReader = {
  /**
   * @throws AppError invalid `unmappable`, invalid `document_refused` (also where it was ended), overloaded `reader_busy`
   * for one more of an owner whose documents take long, and what `withPayload` throws
   */
  read<F extends Format>(reading: Reading<F>): Promise<Read<F>>;
  close(): Promise<void>;
};

type Options = {
  /** Whether documents of an owner whose documents take long wait here, or are refused for now. */
  slowMayWait: boolean;
  timeoutMs?: number;
  memoryMb?: number;
  /** Told of every document that a worker begins with, and of its end. */
  observe?: { began(): void; ended(): void };
};

const workers = 2;
/** More than workers, since payloads are loaded meanwhile; half of them at most are one owner's. */
const turns = { inAll: 4 * workers, perOwner: 2 * workers };
/** Of processor time. An ordinary invoice takes some milliseconds. */
const slowFromMs = 1_000;
const slowForMs = 60_000;
const idleMs = 60_000;

export function createInvoiceReader(options: Options): InvoiceReader {
  const { slowMayWait, timeoutMs = 3_000, memoryMb = 256, observe } = options;
  const program = join(import.meta.dirname, 'read-worker.ts');
  const bounds = { program, size: workers, keptBelowMs: slowFromMs, idleMs };
  const pool = createWorkerPool<Task, Outcome>({ ...bounds, timeoutMs, memoryMb });
  const line = createFairSemaphore({ ...turns, slowForMs, slowMayWait });

  async function work(task: Task, owner: string): Promise<Outcome> {
    observe?.began();
    try {
      const { result, cpuMs } = await pool.run(task);
      if (cpuMs >= slowFromMs) line.throttle(owner);
      return result;
    } catch (error) {
      if (!(error instanceof WorkerEnded)) throw error;
      line.throttle(owner);
      return { refused: { code: 'document_refused', message: reasons[error.cause](timeoutMs) } };
    } finally {
      observe?.ended();
    }
  }

  return {
    async read({ format, owner, withPayload }) {
      const use = ({ raw, document }: Payload) => work({ format, raw, document }, owner);
      const outcome = await line.run(owner, () => withPayload(use));
      if ('json' in outcome) return JSON.parse(outcome.json);
      if ('refused' in outcome) throw new AppError('invalid', outcome.refused.code, outcome.refused.message);
      throw new Error(`a payload could not be read: ${outcome.failed}`);
    },
    async close() {
      line.close(new AppError('unavailable', 'reader_closed', 'the service is stopping'));
      await pool.close();
    },
  };
}

const reasons = {
  time: (timeoutMs: number) => `the document could not be read within ${timeoutMs / 1000} s`,
  memory: () => 'the document takes more memory to read than any invoice needs',
};
