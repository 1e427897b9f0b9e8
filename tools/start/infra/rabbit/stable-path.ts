import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDirectory, InfraError } from '../infra-server.ts';

/** In the folder: the path by which it is reached. */
const noteName = 'reached-by';

/**
 * A path to the folder that RabbitMQ can use: without a space, at which its shell scripts split
 * paths, and always the same, because quorum queues keep the path in their data and lose it if the
 * folder is moved. It is a link, chosen once and noted in the folder.
 * @throws InfraError for a folder that was copied while the original is still there
 */
export function stablePath(folder: string): string {
  const note = join(folder, noteName);
  if (!existsSync(note)) writeFileSync(note, join(linkFolder(), randomBytes(6).toString('hex')));
  const link = readFileSync(note, 'utf8');
  makePrivate(dirname(link));
  const target = targetOf(link);
  if (target === folder) return link;
  const other = target && join(target, noteName);
  if (
    other &&
    existsSync(other) &&
    realpathSync(other) !== realpathSync(note) &&
    readFileSync(other, 'utf8') === link
  ) {
    throw new InfraError(
      `The RabbitMQ data in ${folder} is a copy of that in ${target}, and holds its paths: start from empty data (--fresh).`,
    );
  }
  symlinkSync(folder, `${link}.new`);
  renameSync(`${link}.new`, link);
  forgetRemoved(dirname(link));
  return link;
}

/** Removes links to folders that are gone. A folder that was only moved gets its link again at its next start. */
function forgetRemoved(links: string): void {
  for (const name of readdirSync(links)) if (!existsSync(join(links, name))) rmSync(join(links, name), { force: true });
}

function linkFolder(): string {
  const folders = [join(cacheDirectory(), 'links'), join(tmpdir(), `facility-platform-${process.getuid?.() ?? 0}`)];
  const folder = folders.find((path) => /^[\w./-]+$/.test(path));
  if (folder) return folder;
  throw new InfraError(`RabbitMQ needs a path without spaces, and neither ${folders.join(' nor ')} is one.`);
}

/** Below the folder for temporary files, which all users share, another user could have made this folder first. */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.getuid && lstatSync(folder).uid !== process.getuid()) {
    throw new InfraError(`${folder} belongs to another user: remove it.`);
  }
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
