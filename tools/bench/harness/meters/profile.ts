import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decimals, figure, table, text } from '../table.ts';

/** The parts of V8's `.cpuprofile` that are read here; times in microseconds. */
type Profile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
};

const shownFunctions = 25;
const idle = new Set(['(idle)', '(program)', '(root)']);

/** Tables of the functions with the most self time, one per service. */
export function profileTables(folder: string, of: { root: string; names: ReadonlyMap<number, string> }): string {
  const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
  return files
    .flatMap((file) => {
      // CPU.<day>.<time>.<pid>.<thread>.<number>.cpuprofile
      const name = of.names.get(Number(file.split('.')[3]));
      if (name === undefined) return [];
      const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
      return [profileTable(name, profile, of.root)];
    })
    .join('\n');
}

function profileTable(name: string, profile: Profile, root: string): string {
  const own = ownTimes(profile, root);
  const busy = [...own].reduce((sum, [, us]) => sum + us, 0);
  const rows = [...own]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shownFunctions)
    .map(([place, us]) => [`${decimals((100 * us) / busy, 1)} %`, decimals(us / 1000, 0), place]);
  const title = `What ${name} spent ${decimals(busy / 1e6, 1)} s of processor time on`;
  return table(title, [figure('share'), figure('ms'), text('function')], rows);
}

/** Self time of each function in microseconds, by its place in the source. */
function ownTimes({ nodes, samples, timeDeltas }: Profile, root: string): Map<string, number> {
  const places = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const file = url.replace(/^file:\/\//, '').replace(`${root}/`, '');
      return [id, `${functionName || '(anonymous)'}${file ? `  ${file}:${lineNumber + 1}` : ''}`];
    }),
  );
  const times = new Map<string, number>();
  for (const [index, node] of samples.entries()) {
    const place = places.get(node) ?? '';
    if (idle.has(place)) continue;
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[index] ?? 0));
  }
  return times;
}
