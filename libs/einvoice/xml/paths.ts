import type { ReferenceKind } from '@app/contracts';
import type { Amount, DocumentFields, Identifier } from '../document-fields.ts';
import { unmappable } from '../errors.ts';
import { all, texts, type XmlElement } from './xml-tree.ts';

const maxLines = 10_000;

/** The path of each kind of reference. */
export type ReferencePaths = [ReferenceKind, string][];

/**
 * Returns the lines unchanged.
 * @throws AppError invalid `unmappable` if there are more than 10,000
 */
export function limitLines(lines: XmlElement[]): XmlElement[] {
  if (lines.length > maxLines) throw unmappable(`the invoice has more than ${maxLines} lines (BG-25)`);
  return lines;
}

export function referencesAt(from: XmlElement | undefined, paths: ReferencePaths): DocumentFields['references'] {
  return paths.flatMap(([kind, path]) => texts(from, path).map((value) => ({ kind, value })));
}

/** The amounts that are not empty, each with its `currencyID`. */
export function amountsAt(from: XmlElement | undefined, path: string): Amount[] {
  return all(from, path)
    .filter(({ text }) => text !== '')
    .map(({ text, attributes }) => ({ text, currency: attributes.get('currencyID')?.toUpperCase() ?? null }));
}

/** The identifiers that are not empty, in the order of the paths, each with its `schemeID`. */
export function identifiersAt(from: XmlElement | undefined, paths: string[]): Identifier[] {
  return paths
    .flatMap((path) => all(from, path))
    .filter(({ text }) => text !== '')
    .map(({ text, attributes }) => ({ scheme: attributes.get('schemeID') ?? null, value: text }));
}

/** Joins the texts of several elements: "BI-118 Bon d'intervention". */
export function joined(from: XmlElement, paths: string[]): string {
  return paths.flatMap((path) => texts(from, path)).join(' ');
}
