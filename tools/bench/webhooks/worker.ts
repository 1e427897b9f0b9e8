import { parentPort, Worker } from 'node:worker_threads';

/** A thread that answers commands, by `answerCommands`. */
type CommandWorker = {
  /** Rejects with the error of the command, or with the one that ended the thread. */
  ask(command: object): Promise<unknown>;
  close(): Promise<void>;
};

type Asked = { done: (answer: unknown) => void; failed: (error: Error) => void };

export function startWorker(file: string, workerData: unknown): CommandWorker {
  const worker = new Worker(file, { workerData });
  const waiting = new Map<number, Asked>();
  let ids = 0;
  worker.on('message', ({ id, answer, failure }: { id: number; answer: unknown; failure?: string }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (failure === undefined) asked?.done(answer);
    else asked?.failed(new Error(failure));
  });
  worker.on('error', (error) => {
    for (const { failed } of waiting.values()) failed(error as Error);
  });
  return {
    ask: (command) =>
      new Promise((done, failed) => {
        ids += 1;
        waiting.set(ids, { done, failed });
        worker.postMessage({ id: ids, command });
      }),
    async close() {
      await worker.terminate();
    },
  };
}

/** For the file of the thread: answers each command, in whatever order the answers are ready. */
export function answerCommands<Command>(answerOf: (command: Command) => Promise<unknown>): void {
  parentPort?.on('message', ({ id, command }: { id: number; command: Command }) => {
    answerOf(command).then(
      (answer) => parentPort?.postMessage({ id, answer }),
      (error: unknown) =>
        parentPort?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) }),
    );
  });
}
