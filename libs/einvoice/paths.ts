import type { ReferenceKind } from '@app/contracts';
import type { Amount, Facts, Identifier } from './facts.ts';
import { unmappable } from './faults.ts';
import { all, texts, type XmlElement } from './xml-tree.ts';

const mostLines = 10_000;

/** What of an invoice stands at which path: the shapes that both syntaxes share. */
export type ReferencePaths = [ReferenceKind, string][];

/**
 * The lines of an invoice, counted before one of them is looked at.
 * @throws AppError invalid `unmappable` for more than are read
 */
export function readable(lines: XmlElement[]): XmlElement[] {
  if (lines.length > mostLines) throw unmappable(`the invoice has more than ${mostLines} lines (BG-25)`);
  return lines;
}

export function referencesAt(from: XmlElement | undefined, paths: ReferencePaths): Facts['references'] {
  return paths.flatMap(([kind, path]) => texts(from, path).map((value) => ({ kind, value })));
}

export function amountsAt(from: XmlElement | undefined, path: string): Amount[] {
  return all(from, path)
    .filter(({ text }) => text !== '')
    .map(({ text, attributes }) => ({ text, currency: attributes.get('currencyID') ?? null }));
}

export function identifiersAt(from: XmlElement | undefined, paths: string[]): Identifier[] {
  return paths
    .flatMap((path) => all(from, path))
    .filter(({ text }) => text !== '')
    .map(({ text, attributes }) => ({ scheme: attributes.get('schemeID') ?? null, value: text }));
}

/** The texts of several elements as one: "BI-118 Bon d'intervention". */
export function joined(from: XmlElement, paths: string[]): string {
  return paths.flatMap((path) => texts(from, path)).join(' ');
}
