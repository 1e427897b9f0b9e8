import { createWriteStream } from 'node:fs';
import { access, constants, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { fileNotFound, isKey, newKey, type Storage, type StoredFile } from '../storage.ts';

/** The folder of unfinished uploads. */
const incoming = 'incoming';

/** Files in a local folder (`file:///folder`), spread over subfolders by the first two characters of their keys. */
export function createFolderStorage({ url }: { url: string }): Storage {
  const root = fileURLToPath(url);
  const pathOf = (key: string) => join(root, key.slice(0, 2), key);
  const incomingPathOf = (key: string) => join(root, incoming, key);

  return {
    async put(content, { under: key = newKey(), signal }) {
      const [temporary, path] = [incomingPathOf(key), pathOf(key)];
      try {
        await writeDurably(content, temporary, signal);
        await publish(temporary, path);
        await sync(root);
        return await describe(key, path);
      } catch (error) {
        content.destroy();
        await removeAll([temporary, path]);
        throw error;
      }
    },
    async get(key, range) {
      if (!isKey(key)) throw fileNotFound();
      const file = await open(pathOf(key)).catch(asNotFound);
      return file.createReadStream(range);
    },
    stat: async (key) => (isKey(key) ? describe(key, pathOf(key)).catch(missingAsNull) : null),
    async remove(key) {
      if (isKey(key)) await removeAll([pathOf(key), incomingPathOf(key)]);
    },
    async *list({ olderThan }) {
      for await (const { name, parentPath } of await opendir(root, { recursive: true })) {
        const file = isKey(name) ? await describe(name, join(parentPath, name)).catch(missingAsNull) : null;
        if (file && file.createdAt < olderThan) yield file;
      }
    },
    async ready() {
      await mkdir(root, { recursive: true });
      await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    },
    close: async () => {},
  };
}

/** Writes a new file; resolves once its bytes are on the disk. */
async function writeDurably(content: Readable, path: string, signal?: AbortSignal): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const sink = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  await pipeline(content, sink, signal ? { signal } : {});
}

/** Moves a complete file to its final name. */
async function publish(temporary: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rename(temporary, path);
  await sync(dirname(path));
}

/** A rename is durable once the folder is synced. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

async function describe(key: string, path: string): Promise<StoredFile> {
  const { size, mtime } = await stat(path);
  return { key, size, createdAt: mtime };
}

async function removeAll(paths: string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true });
}

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT';
}

function asNotFound(error: unknown): never {
  throw isMissing(error) ? fileNotFound() : error;
}

function missingAsNull(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
