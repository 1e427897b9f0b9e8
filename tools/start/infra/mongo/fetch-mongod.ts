import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoBinary } from 'mongodb-memory-server-core';

/**
 * The program that downloads a `mongod`: `fetch-mongod.ts <folder> <version>`. A process of its own, so that a download
 * that does not come can be ended.
 */
async function main(): Promise<void> {
  const [downloadDir, version] = process.argv.slice(2);
  if (!downloadDir || !version) throw new Error('usage: fetch-mongod.ts <folder> <version>');
  const path = await MongoBinary.getPath({ downloadDir, version, systemBinary: '', checkMD5: true });
  // It may be another folder's: one that this user's other projects have fetched already.
  await copyFile(path, join(downloadDir, 'mongod'));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message.split('\n').slice(0, 2).join(' ') : error}\n`);
  process.exitCode = 1;
});
