import type { Bench } from './bench.ts';
import { type LoadRun, runLoad } from './load.ts';
import { addTimes, type CpuMeter, type CpuTimes, cpuUsed } from './meters.ts';
import type { Sample } from './statistics.ts';

/** One sample per round, and the processor time of all rounds by process. */
export type Measured = { samples: Sample[]; cpu: CpuTimes };

const warmUpMs = 2_000;

/**
 * Measures every run once per round, one after the other, so that other load on the machine affects all alike. A first round
 * warms up and does not count. Without a meter, nothing waits until the processes are idle.
 */
export async function measureRounds(
  { rounds, roundMs }: Bench,
  meter: CpuMeter | null,
  runs: Omit<LoadRun, 'durationMs'>[],
): Promise<Measured[]> {
  const measured = runs.map((run) => ({ run, samples: [] as Sample[], cpu: {} as CpuTimes }));
  for (let round = 0; round <= rounds; round++) {
    for (const { run, samples, cpu } of measured) {
      await meter?.untilIdle();
      const before = await meter?.read();
      const sample = await runLoad({ ...run, durationMs: round === 0 ? warmUpMs : roundMs });
      if (round === 0) continue;
      samples.push(sample);
      if (meter && before) addTimes(cpu, cpuUsed(before, await meter.read()));
    }
  }
  return measured;
}
