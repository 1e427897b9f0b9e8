import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { productionPackages } from '../../tools/image/production-packages.ts';
import { root } from './manifest-settings.ts';

const services = readdirSync(join(root, 'services'));
/** 120 MB are the most; an image also has compiled code, the console's the guide: 15 MB of that at most were seen. */
const mostMb = 105;

/** The bytes of a package without those below it in `node_modules`, which are packages of their own, and without source maps. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path);
    return entry.isFile() && !entry.name.endsWith('.map') ? sum + lstatSync(path).size : sum;
  }, 0);
}

test.each(services)('the packages of %s leave its image below 120 MB beyond its base', (service) => {
  const folders = [...productionPackages(root, [`services/${service}`])];
  const sum = folders.reduce((total, folder) => total + sizeOf(folder) / 1e6, 0);
  expect(sum).toBeLessThan(mostMb);
});
