// XML and PDFs come from strangers, and a worker thread out of memory can end the process. `fast-xml-parser` accepts broken documents,
// PDF libraries are renderers of many megabytes: so readers of our own, on `saxes`, whose limits stop them at once.
import { join } from 'node:path';
import { AppError } from '@app/kernel';
import { FairSemaphore, WorkerKilled, WorkerPool } from '@app/runtime/workers';
import type { Format, Payload, Read } from '../formats.ts';
import type { Outcome, Task } from './read-worker.ts';

type Reading<F extends Format> = {
  format: F;
  /** The company whose document it is: turns are fair between companies. */
  owner: string;
  /** Called at the reading's turn; passes the bytes to `use`. So what waits holds no bytes in memory. */
  withPayload: <T>(use: (payload: Payload) => Promise<T>) => Promise<T>;
};

/** Reads payloads and documents of providers in worker processes, bounded in time and memory. */
export type InvoiceReader = ReturnType<typeof createInvoiceReader>;

type Options = {
  /** Whether documents of an owner whose documents take long wait here, or are refused for now. */
  slowMayWait: boolean;
  timeoutMs?: number;
  memoryMb?: number;
  /** Called when a worker starts with a document and when it has ended. */
  observe?: { began(): void; ended(): void };
};

const workers = 2;
/** More readings than workers, because payloads are loaded meanwhile; an owner has half of them at most. */
const readings = { total: 4 * workers, perKey: 2 * workers };
/** Processor time. An ordinary invoice takes some milliseconds. */
const slowFromMs = 1_000;
const throttleMs = 60_000;
const idleMs = 60_000;

/** Starts up to two worker processes when they are needed. A document has 3 s and 256 MB by default. */
export function createInvoiceReader(options: Options) {
  const { slowMayWait, timeoutMs = 3_000, memoryMb = 256, observe } = options;
  const program = join(import.meta.dirname, 'read-worker.ts');
  const limits = { timeoutMs, memoryMb, reuseBelowMs: slowFromMs, idleMs };
  const pool = new WorkerPool<Task, Outcome>({ program, size: workers, ...limits });
  const semaphore = new FairSemaphore({ ...readings, throttleMs, queueThrottled: slowMayWait });

  async function runTask(task: Task, owner: string): Promise<Outcome> {
    observe?.began();
    try {
      const { result, cpuMs } = await pool.run(task);
      if (cpuMs >= slowFromMs) semaphore.throttle(owner);
      return result;
    } catch (error) {
      if (!(error instanceof WorkerKilled)) throw error;
      semaphore.throttle(owner);
      return { refused: { code: 'document_refused', message: killedMessages[error.cause](timeoutMs) } };
    } finally {
      observe?.ended();
    }
  }

  return {
    /**
     * @throws AppError invalid `unmappable`, invalid `document_refused` (also if its worker was killed), overloaded `reader_busy`
     * if documents of the owner take long and must not wait; what `withPayload` throws
     */
    async read<F extends Format>({ format, owner, withPayload }: Reading<F>): Promise<Read<F>> {
      const use = ({ raw, document }: Payload) => runTask({ format, raw, document }, owner);
      const outcome = await semaphore.run(owner, () => withPayload(use));
      if ('json' in outcome) return JSON.parse(outcome.json);
      if ('refused' in outcome) throw new AppError('invalid', outcome.refused.code, outcome.refused.message);
      throw new Error(`a payload could not be read: ${outcome.failed}`);
    },
    /** Refuses what waits, with AppError unavailable `reader_closed`, and ends the workers. */
    async close(): Promise<void> {
      semaphore.close(new AppError('unavailable', 'reader_closed', 'the service is stopping'));
      await pool.close();
    },
  };
}

const killedMessages = {
  time: (timeoutMs: number) => `the document could not be read within ${timeoutMs / 1000} s`,
  memory: () => 'the document takes more memory to read than any invoice needs',
};
