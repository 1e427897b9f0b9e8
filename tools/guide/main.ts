// Why it is so: docs/decisions/guide-by-starlight.md
import { dirname, resolve } from 'node:path';
import { buildGuide, builtFolder, isOutdated } from './build-guide.ts';

/** `npm run guide`: builds the site; with `--if-outdated`, if a page is newer than it. */
async function main(): Promise<void> {
  // Up from tools/guide/main.ts.
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  if (process.argv.includes('--if-outdated') && !isOutdated(root)) return;
  if (await buildGuide(root)) console.log(`built ${builtFolder}`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
