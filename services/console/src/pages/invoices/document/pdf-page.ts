import { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist';
import { findMarks, type Needle, type Piece } from '../rules/marks.ts';

type Target = { canvas: HTMLCanvasElement; text: HTMLElement };
type Look = { width: number; zoom: number; needles: readonly Needle[]; markClass: (kind: string) => string };

const maxPixels = 16_000_000;

/**
 * Draws a page with its text layer, as wide as its element times the zoom. Resolves when it is drawn; `signal` stops
 * it.
 */
export async function drawPage(
  pdf: PDFDocumentProxy,
  number: number,
  { canvas, text }: Target,
  { width, zoom, needles, markClass }: Look,
  signal: AbortSignal,
): Promise<void> {
  const page = await pdf.getPage(number);
  if (signal.aborted) return;
  const scale = (width / page.getViewport({ scale: 1 }).width) * zoom;
  const viewport = page.getViewport({ scale });
  const ratio = Math.min(window.devicePixelRatio || 1, Math.sqrt(maxPixels / (viewport.width * viewport.height)));
  const sheet = text.parentElement;
  sheet?.style.setProperty('--total-scale-factor', String(scale));
  sheet?.style.setProperty('width', `${Math.floor(viewport.width)}px`);
  sheet?.style.setProperty('height', `${Math.floor(viewport.height)}px`);
  // Drawn on a canvas of its own and then swapped in, so that the previous page stays visible until then.
  const fresh = document.createElement('canvas');
  fresh.width = Math.floor(viewport.width * ratio);
  fresh.height = Math.floor(viewport.height * ratio);
  const drawing = page.render({ canvas: fresh, viewport, transform: [ratio, 0, 0, ratio, 0, 0] });
  signal.addEventListener('abort', () => drawing.cancel(), { once: true });
  await Promise.all([drawing.promise, writeText(page, { canvas, text }, { viewport, needles, markClass }, signal)]);
  if (signal.aborted) return;
  canvas.width = fresh.width;
  canvas.height = fresh.height;
  canvas.getContext('2d')?.drawImage(fresh, 0, 0);
}

type Writing = Pick<Look, 'needles' | 'markClass'> & { viewport: ReturnType<PDFPageProxy['getViewport']> };

async function writeText(page: PDFPageProxy, { text }: Target, look: Writing, signal: AbortSignal): Promise<void> {
  const content = await page.getTextContent();
  if (signal.aborted) return;
  text.replaceChildren();
  const layer = new TextLayer({ textContentSource: content, container: text, viewport: look.viewport });
  signal.addEventListener('abort', () => layer.cancel(), { once: true });
  await layer.render();
  if (signal.aborted) return;
  const ends = content.items.flatMap((item) => ('str' in item ? [item.hasEOL] : []));
  const pieces = layer.textContentItemsStr.map((one, index): Piece => ({ text: one, ends: ends[index] ?? true }));
  mark(layer.textDivs, pieces, look);
}

function mark(
  pieces: HTMLElement[],
  texts: readonly Piece[],
  { needles, markClass }: Pick<Writing, 'needles' | 'markClass'>,
): void {
  const byItem = Map.groupBy(findMarks(texts, needles), ({ item }) => item);
  for (const [item, marks] of byItem) {
    const element = pieces[item];
    const text = texts[item]?.text ?? '';
    if (!element) continue;
    const parts: (string | HTMLElement)[] = [];
    let at = 0;
    for (const { from, to, kind } of marks) {
      const marked = document.createElement('mark');
      marked.className = markClass(kind);
      marked.textContent = text.slice(from, to);
      parts.push(text.slice(at, from), marked);
      at = to;
    }
    element.replaceChildren(...parts, text.slice(at));
  }
}
