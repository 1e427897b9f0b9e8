import type { Bench } from './bench.ts';
import { type LoadRun, runLoad } from './load.ts';
import { untilIdle } from './meters.ts';
import type { Sample } from './statistics.ts';

const warmUpMs = 2_000;

/**
 * Measures every run once per round, one after the other, so that other load on the machine affects all alike, each once these processes
 * and MongoDB are idle. A first round warms up and does not count. @returns one sample a round, by run
 */
export async function measureRounds(
  bench: Bench,
  pids: number[],
  runs: Omit<LoadRun, 'durationMs'>[],
): Promise<Sample[][]> {
  const measured = runs.map((run) => ({ run, samples: [] as Sample[] }));
  for (let round = 0; round <= bench.rounds; round++) {
    for (const { run, samples } of measured) {
      await untilIdle(bench, pids);
      const sample = await runLoad({ ...run, durationMs: round === 0 ? warmUpMs : bench.roundMs });
      if (round > 0) samples.push(sample);
    }
  }
  return measured.map(({ samples }) => samples);
}
