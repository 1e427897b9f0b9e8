import type { Invoice } from './invoice.ts';

type MarkKind = 'reference' | 'amount' | 'iban';
export type Needle = { kind: MarkKind; text: string };
/** A highlighted range of letters in one piece of the page's text. */
export type Mark = { item: number; from: number; to: number; kind: MarkKind };

const minReferenceLength = 4;

/** Patterns of what matching read of the invoice, to find it on the page again. */
export function needlesOf({ number, matchHints, amounts, supplier, suggestions }: Invoice): Needle[] {
  const { poRef, ticketRef, orderRef } = matchHints;
  const written = suggestions.flatMap(({ signals }) => signals.flatMap(({ values }) => values.written ?? []));
  const references = [number, poRef, ticketRef, orderRef, ...written].flatMap((text) => text ?? []);
  const sums = amounts === null ? [] : [amounts.ht, amounts.tva, amounts.ttc].filter((amount) => amount !== 0);
  return [
    ...[...new Set(references)]
      .filter((text) => lettersOf(text).length >= minReferenceLength)
      .map((text): Needle => ({ kind: 'reference', text })),
    ...[...new Set(sums)].map((amount): Needle => ({ kind: 'amount', text: Math.abs(amount).toFixed(2) })),
    ...supplier.accounts.map((text) => ({ kind: 'iban' as const, text })),
  ];
}

function lettersOf(text: string): string[] {
  return [...text.normalize('NFC')].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
}

/** Matches an amount, however the page groups thousands and separates cents. */
function amountPattern(text: string): string {
  const [whole = '0', fraction = '00'] = text.split('.');
  const groups = groupsOf(whole);
  return String.raw`(?<![\d.,])${groups.join(String.raw`[\s.,'’\u00a0\u202f]?`)}[.,]${fraction}(?!\d)`;
}

/** `1234567` as `1`, `234`, `567`. */
function groupsOf(whole: string): string[] {
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(end - 3, 0), end));
  return groups;
}

/** Matches a reference, whatever stands between its letters and digits. */
function referencePattern(text: string): string {
  const letters = lettersOf(text).map((letter) => letter.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return String.raw`(?<![\p{L}\p{N}])${letters.join(String.raw`[^\p{L}\p{N}]{0,3}`)}(?![\p{L}\p{N}])`;
}

/** `ends`: whether a line ends after the piece. A reference may run over several pieces, as PDFs cut their text anywhere. */
export type Piece = { text: string; ends: boolean };

/** The ranges to highlight in the text of a page. */
export function findMarks(pieces: readonly Piece[], needles: readonly Needle[]): Mark[] {
  const starts: number[] = [];
  let whole = '';
  for (const { text, ends } of pieces) {
    starts.push(whole.length);
    whole += text + (ends ? '\n' : '');
  }
  const found = needles.flatMap(({ kind, text }) => {
    const pattern = new RegExp(kind === 'amount' ? amountPattern(text) : referencePattern(text), 'giu');
    return [...whole.matchAll(pattern)].map(({ index, 0: match }) => ({ kind, from: index, to: index + match.length }));
  });
  return pieces.flatMap(({ text }, item) => {
    const start = starts[item] ?? 0;
    const inside = found.flatMap(({ kind, from, to }): Mark[] => {
      const mark = { item, kind, from: Math.max(from - start, 0), to: Math.min(to - start, text.length) };
      return mark.from < mark.to ? [mark] : [];
    });
    return withoutOverlaps(inside);
  });
}

function withoutOverlaps(marks: readonly Mark[]): Mark[] {
  const kept: Mark[] = [];
  for (const mark of [...marks].sort((a, b) => a.from - b.from || b.to - a.to)) {
    if (mark.from >= (kept.at(-1)?.to ?? 0)) kept.push(mark);
  }
  return kept;
}
