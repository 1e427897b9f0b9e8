import { PDFWorker } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** Trusted Types, as far as we need them: TypeScript's types have none yet. */
type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

let worker: PDFWorker | null = null;

/**
 * The worker that reads all PDFs, started with the first one. The page's policy lets only the Trusted Types policy
 * `pdf-worker` create a script address, and it does so for this file alone.
 */
export function pdfWorker(): PDFWorker {
  if (worker) return worker;
  const { trustedTypes: policies } = globalThis as { trustedTypes?: Policies };
  const policy = policies?.createPolicy('pdf-worker', { createScriptURL: (url) => url });
  const url = policy ? policy.createScriptURL(workerUrl) : workerUrl;
  worker = PDFWorker.create({ port: new Worker(url, { type: 'module' }) });
  return worker;
}
