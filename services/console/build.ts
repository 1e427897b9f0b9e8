import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { viteConfig } from './vite-config.ts';

const root = import.meta.dirname;
const built = join(root, 'dist');
const ownSources = ['src/**/*', 'public/**/*', 'index.html', 'vite-config.ts', 'build.ts', 'package.json'];
const ofOthers = ['sdk/api-client/index.ts', 'libs/kernel/words/*', 'libs/http/lists/sheet-file.ts'];
const sourcesOf = [...ownSources, ...ofOthers.map((path) => `../../${path}`)];
const compressible = /\.(js|mjs|css|html|svg|json|wasm|ttf|pfb|bcmap)$/;
/** Compressing smaller files gains nothing. */
const minBytes = 1024;

/** A hash of the sources and of the packages that they use. */
function sourcesHash(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, '../../package-lock.json')));
  for (const file of globSync(sourcesOf, { cwd: root }).sort()) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(file).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function compress(folder: string): void {
  for (const file of globSync('**/*', { cwd: folder })) {
    const path = join(folder, file);
    if (!compressible.test(file) || statSync(path).size < minBytes) continue;
    const content = readFileSync(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

/** `node build.ts`: builds the pages into `dist`, unless the sources are those of the last build. `--force`: in any case. */
async function main(): Promise<void> {
  const stamp = join(built, '.sources');
  const hash = sourcesHash();
  const isFresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
  if (isFresh && !process.argv.includes('--force')) return;
  // Built in a folder of its own and then moved, so that two builds at once, or a killed one, never leave a partial
  // build.
  const fresh = join(root, `dist-${process.pid}`);
  try {
    const outDir = join(fresh, 'console');
    await build({ ...viteConfig, logLevel: 'warn', build: { ...viteConfig.build, outDir, emptyOutDir: true } });
    compress(outDir);
    writeFileSync(join(fresh, '.sources'), hash);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

await main();
