import type { Bench } from '../bench.ts';
import { type CpuMeter, type CpuTimes, cpuUsed } from '../meters/cpu-meter.ts';
import type { LoadRun } from './load.ts';
import type { Sample } from './statistics.ts';

/** One sample per round, and the processor time of all rounds by process. */
export type Measured = { samples: Sample[]; cpu: CpuTimes };

const warmUpMs = 2_000;

/**
 * Measures every run once per round, one after the other, so that other load on the machine affects all alike. A first round
 * warms up and does not count.
 */
export async function measureRounds(
  { load, rounds, roundMs }: Bench,
  meter: CpuMeter,
  runs: Omit<LoadRun, 'durationMs'>[],
): Promise<Measured[]> {
  const measured = runs.map((): Measured => ({ samples: [], cpu: {} }));
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { samples, cpu }] of measured.entries()) {
      await meter.untilIdle();
      const before = await meter.read();
      const run = runs[index] as (typeof runs)[number];
      const sample = await load.run({ ...run, durationMs: round === 0 ? warmUpMs : roundMs });
      if (round === 0) continue;
      samples.push(sample);
      for (const [name, used] of Object.entries(cpuUsed(before, await meter.read())))
        cpu[name] = (cpu[name] ?? 0) + used;
    }
  }
  return measured;
}
