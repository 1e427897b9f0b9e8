import { ApiError, noAnswer } from './errors.ts';

export type LoadedFile = { mime: string; bytes: ArrayBuffer };

/** Reads the file of a signed link. @throws ApiError; the reason of `signal` */
export async function readFile(url: string, signal: AbortSignal): Promise<LoadedFile> {
  const response = await fetch(url, { signal }).catch(noAnswer);
  if (!response.ok) throw new ApiError(`HTTP ${response.status}`, { status: response.status, code: 'document_failed' });
  return { mime: response.headers.get('content-type') ?? '', bytes: await response.arrayBuffer() };
}
