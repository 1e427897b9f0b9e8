import { useEffect, useState } from 'react';
import type { LoadedFile } from '../../api/file.ts';

/** An address for a file in memory; null until it is there. */
export function useObjectUrl({ bytes, mime }: Partial<LoadedFile>): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!bytes) return;
    const made = URL.createObjectURL(new Blob([bytes], mime === undefined ? {} : { type: mime }));
    setUrl(made);
    return () => {
      URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [bytes, mime]);
  return url;
}
