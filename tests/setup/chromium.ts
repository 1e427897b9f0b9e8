import { createReadStream, createWriteStream, existsSync, globSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { createProcesses } from '@app/start/infra';
import { unpackPackages } from '../../tools/start/infra/debian-packages.ts';
import { cacheDirectory, InfraError } from '../../tools/start/infra/infra-server.ts';
import { inPartialFolder } from '../../tools/start/infra/partial-folder.ts';
import { resolvePackage } from '../../tools/start/infra/processes/resolve-package.ts';
import { findProgram, lastLines, run } from '../../tools/start/infra/processes/run.ts';

const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/**
 * A Chromium, the first of: `CHROMIUM`, that of an npm package, unpacked once in the user's cache, the one of this machine.
 * @throws InfraError saying how to get one
 */
export async function findChromium(cacheDir = cacheDirectory()): Promise<string> {
  const { CHROMIUM: given } = process.env;
  if (given) return given;
  const unpacked = await findUnpacked(cacheDir);
  const found = unpacked.program ?? findProgram(['chromium', 'chromium-browser', 'google-chrome', onMac]);
  if (found) return found;
  throw new InfraError(
    `There is no Chromium on this machine, and that of the npm package cannot be used: ${unpacked.failure}.\n` +
      'Install one (on Debian: apt-get install chromium), or set CHROMIUM to the path of one.',
  );
}

/** How Playwright starts a Chromium: that of `CHROMIUM`, where the set-up of tests puts what it found. */
export function chromiumLaunch(executablePath = process.env['CHROMIUM']): { executablePath: string; args: string[] } {
  if (!executablePath) throw new Error('CHROMIUM names no browser');
  // A page of a test is gone before its code has gained what optimising it costs.
  const unoptimised = '--js-flags=--no-maglev --no-opt';
  // CI runs as root, and there Chromium starts only without its sandbox.
  return { executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', unoptimised] };
}

type Unpacked = { program?: string; failure?: string };

async function findUnpacked(cacheDir: string): Promise<Unpacked> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { failure: 'it is for Linux on x86-64' };
  const packaged = join(resolvePackage('@sparticuz/chromium'), '../..');
  const { version } = JSON.parse(readFileSync(join(packaged, 'package.json'), 'utf8')) as { version: string };
  const place = join(cacheDir, `chromium-${version}`);
  if (!existsSync(place)) {
    const failure = await unpack(join(packaged, 'bin'), place).catch((error: Error) => error.message);
    if (failure) return { failure };
  }
  return { program: join(place, 'run-chromium') };
}

/** @returns why it failed, if it did */
function unpack(packaged: string, place: string): Promise<string | undefined> {
  return inPartialFolder(place, async (folder) => {
    const decompress = (name: string) =>
      pipeline(
        createReadStream(join(packaged, `${name}.br`)),
        createBrotliDecompress(),
        createWriteStream(join(folder, name), { mode: 0o755 }),
      );
    await decompress('chromium');
    // The libraries that a small machine lacks, and a font.
    for (const name of ['al2023.tar', 'fonts.tar']) {
      await decompress(name);
      const { ok, output } = await run('tar', ['-xf', join(folder, name), '-C', folder]);
      if (!ok) return lastLines(output, 1);
    }
    const failure = await fetchSqlite(join(folder, 'packages'));
    if (failure) return `it lacks libsqlite3.so.0, which cannot be fetched: ${failure}`;
    await writeFile(join(folder, 'fonts.conf'), fontsConfiguration(place));
    await writeFile(join(folder, 'run-chromium'), script, { mode: 0o755 });
    const tried = await run(join(folder, 'run-chromium'), ['--version']);
    if (!tried.ok) return lastLines(tried.output, 1);
    // Another test run may have been faster.
    await rename(folder, place).catch((error: Error) => {
      if (!existsSync(place)) throw error;
    });
    return undefined;
  });
}

/** Chromium opens this library at its first page by HTTPS, and ends where there is none. @returns why it failed, if it did */
async function fetchSqlite(place: string): Promise<string | undefined> {
  if (globSync('/usr/lib{,64,/*-linux-gnu}/libsqlite3.so.0').length > 0) return undefined;
  const processes = createProcesses();
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  try {
    return await unpackPackages(['libsqlite3-0'], place, { processes, say });
  } finally {
    await processes.close();
  }
}

/** Libraries and fonts are for Chromium alone, not for what starts it. */
const script = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/lib:$here/packages/usr/lib/x86_64-linux-gnu" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/chromium" "$@"
`;

const fontsConfiguration = (place: string) => `<?xml version="1.0"?>
<fontconfig><dir>${place}/fonts</dir><cachedir>${place}/fonts-cache</cachedir></fontconfig>
`;
