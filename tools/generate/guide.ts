// Starlight, not VitePress, which is bound to Vite 5. The guide is built from the pages of docs/, so that nothing is said twice.
import { type Place, parseOptions } from '@app/start/infra';
import { buildGuide, builtFolder, isOutdated } from './guide/build-guide.ts';

export const usage = `Usage: npm run docs -- guide [--if-outdated]

Builds the guide for integrators, a site of pages of docs/, for the console to serve. A dead link fails it.

  --if-outdated   build it if one of its pages is newer`;

export async function run(args: string[], { root }: Place): Promise<void> {
  const { values } = parseOptions(args, { 'if-outdated': { type: 'boolean' } });
  if (values['if-outdated'] && !isOutdated(root)) return;
  if (await buildGuide(root)) console.log(`built ${builtFolder}`);
}
