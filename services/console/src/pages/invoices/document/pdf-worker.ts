import { PDFWorker } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

/** As far as we need them: the types of the language have none yet. */
type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};

let worker: PDFWorker | null = null;

/**
 * The one worker that reads PDFs, started with the first. The page's policy lets nothing name a script but `pdf-worker`, which is
 * asked for this file alone.
 */
export function pdfWorker(): PDFWorker {
  if (worker) return worker;
  const { trustedTypes: policies } = globalThis as { trustedTypes?: Policies };
  const policy = policies?.createPolicy('pdf-worker', { createScriptURL: (url) => url });
  const url = policy ? policy.createScriptURL(workerUrl) : workerUrl;
  worker = PDFWorker.create({ port: new Worker(url, { type: 'module' }) });
  return worker;
}
