// Files come as attachments from another host, so no browser frames them; pictures made by a service would need a parser of hostile
// files beside our secrets. So pdf.js, whose worker is the only script that the policy lets anything name.
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist';
import { type RefCallback, useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../../api/errors.ts';
import { ErrorNote } from '../../../components/states.tsx';
import type { Needle } from '../rules/marks.ts';
import { useTexts } from '../texts.ts';
import styles from './document.module.css';
import { DocumentFailed } from './document-failed.tsx';
import { PageBar } from './page-bar.tsx';
import { drawPage } from './pdf-page.ts';
import { pdfWorker } from './pdf-worker.ts';

const gutter = 32;

/** The inner width of an element, updated when it changes; 0 before it is known. */
function useWidth(): [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(0);
  const place = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(0, Math.floor(entry.contentRect.width))),
    );
    observer.observe(element);
    setWidth(Math.max(0, element.clientWidth - gutter));
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

type PdfProps = { bytes: ArrayBuffer; needles: readonly Needle[]; tools: React.ReactNode; onRetry: () => void };

const files = `${import.meta.env.BASE_URL}pdf/`;

/** A PDF, page by page, with what matching read highlighted. Its code is loaded with the first PDF. */
export function PdfView({ bytes, needles, tools, onRetry }: PdfProps) {
  const [pdf, error] = usePdf(bytes);
  const [page, setPage] = useState(1);
  const [zoom, setZoom] = useState(1);
  if (error !== null) return <DocumentFailed error={error} tools={tools} onRetry={onRetry} />;
  const pages = pdf?.numPages ?? 1;
  return (
    <>
      <PageBar
        page={page}
        pages={pages}
        zoom={zoom}
        setPage={setPage}
        setZoom={setZoom}
        tools={tools}
        isReady={pdf !== null}
      />
      <PdfPage pdf={pdf} page={page} zoom={zoom} needles={needles} />
    </>
  );
}

function usePdf(bytes: ArrayBuffer): [PDFDocumentProxy | null, unknown] {
  const [pdf, setPdf] = useState<PDFDocumentProxy | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const { worker, failed } = pdfWorker();
    setError(null);
    // A copy: the worker takes ownership of the bytes, and the cache keeps its own.
    const task = getDocument({
      data: new Uint8Array(bytes.slice(0)),
      worker,
      // The Content-Security-Policy of the page allows no WebAssembly.
      useWasm: false,
      wasmUrl: `${files}wasm/`,
      standardFontDataUrl: `${files}standard_fonts/`,
      cMapUrl: `${files}cmaps/`,
      cMapPacked: true,
      useSystemFonts: false,
      enableXfa: false,
      disableWorkerRendering: true,
      verbosity: 0,
    });
    let isOver = false;
    Promise.race([task.promise, failed]).then(
      (loaded) => !isOver && setPdf(loaded),
      (reason: unknown) => !isOver && setError(reason instanceof ApiError ? reason : unreadable()),
    );
    return () => {
      isOver = true;
      void task.destroy().catch(() => undefined);
    };
  }, [bytes]);
  return [pdf, error];
}

function unreadable(): ApiError {
  return new ApiError('this is no PDF that can be shown', { status: 422, code: 'document_unreadable' });
}

type PageProps = { pdf: PDFDocumentProxy | null; page: number; zoom: number; needles: readonly Needle[] };

function PdfPage({ pdf, page, zoom, needles }: PageProps) {
  const texts = useTexts();
  const [place, width] = useWidth();
  const [error, setError] = useState<unknown>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!pdf || width === 0 || !canvas.current || !text.current) return;
    const stop = new AbortController();
    setError(null);
    const look = { width, zoom, needles, markClass: (kind: string) => styles[kind] ?? '' };
    const target = { canvas: canvas.current, text: text.current };
    drawPage(pdf, page, target, look, stop.signal).catch(() => !stop.signal.aborted && setError(unreadable()));
    return () => stop.abort();
  }, [pdf, page, width, zoom, needles]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keyboard, too
    <section className={styles['desk']} ref={place} tabIndex={0} aria-label={texts.pageOf(page, pdf?.numPages ?? 1)}>
      <ErrorNote error={error} faultsAreElsewhere={false} />
      <div className={styles['sheet']}>
        <canvas ref={canvas} />
        <div ref={text} className={styles['text']} />
      </div>
    </section>
  );
}
