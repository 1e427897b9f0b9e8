import { useState } from 'react';
import { forEach, retryWhenLimited } from '../../../api/concurrent-requests.ts';
import { ApiError, errorOf, isUnanswered } from '../../../api/errors.ts';
import { shrunk } from '../../../components/pictures/shrink.ts';

type Options = {
  /** The same for each try of the same file, so that it is added once. */
  key: string;
  /** `share`: of what is sent, from 0 to 1. */
  onProgress: (share: number) => void;
};

/** Posts a form. Not by `fetch`, which does not say how much of it is sent. @throws ApiError */
function upload(path: string, form: FormData, { key, onProgress }: Options): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    request.setRequestHeader('Idempotency-Key', key);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('error', () => reject(new ApiError('no answer', { status: 0, code: 'no_answer' })));
    request.addEventListener('load', () => (request.status < 300 ? resolve() : reject(refusalOf(request))));
    request.send(form);
  });
}

function refusalOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return errorOf({ status: request.status, headers }, jsonOf(request.responseText));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A chosen file. `share`: how much of it is sent, from 0 to 1. */
export type Upload = {
  id: string;
  file: File;
  state: 'waiting' | 'sending' | 'sent' | 'failed';
  share: number;
  error: unknown;
};

type Target = { path: string; fields?: Record<string, string> };

export type Uploads = ReturnType<typeof useUploads>;

/** Files that are sent one by one to the same place: what becomes of one does not concern the others. */
export function useUploads() {
  const [all, setAll] = useState<Upload[]>([]);
  const [isOriginal, setIsOriginal] = useState(false);
  const change = (id: string, changes: Partial<Upload>) =>
    setAll((now) => now.map((one) => (one.id === id ? { ...one, ...changes } : one)));

  async function sendOne({ id, file }: Upload, { path, fields = {} }: Target): Promise<boolean> {
    change(id, { state: 'sending', share: 0, error: null });
    try {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', await shrunk(file, { isOriginal }));
      const onProgress = (share: number) => change(id, { share });
      await retryWhenLimited(() => upload(path, form, { key: id, onProgress }));
      change(id, { state: 'sent' });
      return true;
    } catch (error) {
      // What was refused is a new request the next time; what was not answered may have been carried out.
      change(id, { state: 'failed', error, ...(!isUnanswered(error) && { id: crypto.randomUUID() }) });
      return false;
    }
  }

  return {
    all,
    isOriginal,
    /** Other bytes are another request. */
    setOriginal(value: boolean) {
      setIsOriginal(value);
      setAll((now) => now.map((one) => (one.state === 'failed' ? { ...one, id: crypto.randomUUID() } : one)));
    },
    add(files: Iterable<File>) {
      // Read at once: the field that they were chosen in is emptied before the state is set.
      const added = Array.from(files, (file): Upload => {
        return { id: crypto.randomUUID(), file, state: 'waiting', share: 0, error: null };
      });
      setAll((now) => [...now, ...added]);
    },
    remove: (id: string) => setAll((now) => now.filter((one) => one.id !== id)),
    /** Sends those that are not sent yet. @returns whether all are sent now */
    async send(target: Target): Promise<boolean> {
      const left = all.filter(({ state }) => state !== 'sent');
      let failures = 0;
      await forEach(left, async (one) => {
        if (!(await sendOne(one, target))) failures += 1;
      });
      return failures === 0;
    },
  };
}
