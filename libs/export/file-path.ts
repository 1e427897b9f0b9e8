import { createHash } from 'node:crypto';
import type { ExportedFile } from '@app/contracts';

const maxNameLength = 120;

/** The place of a stored file in the archive, the same for each mention of it: from a hash of its key, since the key is secret. */
export function exportedFile({ key, name }: { key: string; name: string }): ExportedFile {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}._ ()-]/gu, '_').replace(/^[. ]+/, '_');
  return { key, path: `files/${digest}/${[...plain].slice(-maxNameLength).join('') || 'file'}` };
}
