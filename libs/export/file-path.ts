import { createHash } from 'node:crypto';
import type { ExportedFile } from '@app/contracts';

const maxNameLength = 120;

/** Where a stored file lies in the archive: by its key, which is hashed since it is secret, so that each file is there once. */
export function exportedFile({ key, name }: { key: string; name: string }): ExportedFile {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}._ ()-]/gu, '_').replace(/^[. ]+/, '_');
  return { key, path: `files/${digest}/${[...plain].slice(-maxNameLength).join('') || 'file'}` };
}
