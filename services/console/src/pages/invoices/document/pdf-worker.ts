import { PDFWorker } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { ApiError } from '../../../api/errors.ts';

/** Trusted Types, as far as we need them: TypeScript's types have none yet. */
type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

/** `failed` rejects if the code of the worker cannot be loaded: it never answers then. */
type Reader = { worker: PDFWorker; failed: Promise<never> };

let reader: Reader | null = null;
/**
 * The address that the policy has made, kept since a policy of one name can be created only once.
 */
let address: string | null = null;
const { trustedTypes: policies } = globalThis as { trustedTypes?: Policies };

/**
 * The worker that reads all PDFs, started with the first one. The page's policy lets only the Trusted Types policy
 * `pdf-worker` create a script address, and it does so for this file alone.
 */
export function pdfWorker(): Reader {
  if (reader) return reader;
  address ??=
    policies?.createPolicy('pdf-worker', { createScriptURL: (url) => url }).createScriptURL(workerUrl) ?? workerUrl;
  const port = new Worker(address, { type: 'module' });
  const failed = new Promise<never>((_resolve, reject) => {
    port.addEventListener('error', () => {
      // The next document starts another one.
      reader = null;
      reject(new ApiError('no answer', { status: 0, code: 'no_answer' }));
    });
  });
  failed.catch(() => undefined);
  reader = { worker: PDFWorker.create({ port }), failed };
  return reader;
}
