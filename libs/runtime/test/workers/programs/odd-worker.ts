/** A worker that misbehaves as its task says. */
const works: Record<string, () => unknown> = {
  'spin for ever': () => {
    for (;;);
  },
  'take all memory': () => {
    const taken: object[] = [];
    for (;;) taken.push({ taken });
  },
  fail: () => {
    throw new Error('a bug');
  },
  leave: () => process.exit(3),
  'tell the environment': () => Object.keys(process.env),
};

process.on('message', (task: string) => {
  const result = works[task]?.() ?? process.pid;
  process.send?.({ result, cpuMs: task === 'something long' ? 2_000 : 0 });
});
process.send?.('started');
