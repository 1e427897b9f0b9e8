/** Makes this process a worker of a `WorkerPool`: it works on one task after the other. Imported by the programs of workers alone. */
export function serveTasks<Task, Result>(work: (task: Task) => Result | Promise<Result>): void {
  // A signal to the process group is for the service, which kills its workers; without the service the channel closes.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
  process.on('message', async (task: Task) => {
    const before = process.cpuUsage();
    const result = await work(task);
    const { user, system } = process.cpuUsage(before);
    process.send?.({ result, cpuMs: (user + system) / 1000 });
  });
  process.send?.('started');
}
