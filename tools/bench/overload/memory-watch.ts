import { memoryOf } from '../harness/meters/processes.ts';

const everyMs = 250;

/** The most resident memory of each process since it was last asked, in MB. */
export type MemoryWatch = { take(): Map<string, number>; stop(): void };

export function watchMemory(pids: Record<string, number>): MemoryWatch {
  let most = new Map<string, number>();
  const look = () => {
    for (const [name, pid] of Object.entries(pids)) {
      const resident = memoryOf(pid)?.residentMb ?? 0;
      most.set(name, Math.max(most.get(name) ?? 0, resident));
    }
  };
  const timer = setInterval(look, everyMs);
  return {
    take() {
      look();
      const taken = most;
      most = new Map();
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
