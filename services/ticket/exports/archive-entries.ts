import { Readable } from 'node:stream';
import { AppError } from '@app/kernel';
import type { Storage } from '@app/storage';
import { type CompanyExport, manifestOf } from './export.ts';
import type { ExportStore } from './export-store.ts';
import type { ArchiveEntry } from './zip-archive.ts';

type Deps = {
  store: Pick<ExportStore, 'lines' | 'files'>;
  storage: Pick<Storage, 'get'>;
  now: () => Date;
  /** Called before each file is read. */
  onFile: () => void;
};

/** How many missing files the manifest names at most. */
const maxMissing = 10_000;

/**
 * The archive of an export: a file of JSON lines for each kind, the files that they name, and a
 * manifest at the end.
 */
export async function* archiveEntries(deps: Deps, job: CompanyExport): AsyncGenerator<ArchiveEntry> {
  for (const [index, { kind }] of job.kinds.entries()) {
    yield { path: `${kind}.jsonl`, content: Readable.from(deps.store.lines(job._id, index)), compressed: true };
  }
  const missing: string[] = [];
  for await (const { key, path } of deps.store.files(job._id)) {
    deps.onFile();
    const content = await deps.storage.get(key).catch(missingAsNull);
    if (content) yield { path, content, compressed: false };
    else if (missing.length < maxMissing) missing.push(path);
  }
  const manifest = `${JSON.stringify(manifestOf(job, { at: deps.now(), missing }), null, 2)}\n`;
  yield { path: 'manifest.json', content: Readable.from([Buffer.from(manifest)]), compressed: true };
}

function missingAsNull(error: unknown): null {
  if (error instanceof AppError && error.kind === 'not_found') return null;
  throw error;
}
