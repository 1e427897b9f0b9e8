import { useState } from 'react';
import { forEach, retryWhenLimited } from '../../../api/concurrent-requests.ts';
import { isUnanswered } from '../../../api/errors.ts';
import { upload } from '../../../api/upload.ts';
import { shrunk } from '../../../components/pictures/shrink.ts';

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
