import type { ReferenceKind } from '@app/contracts';
import type { Amount, Facts, Identifier } from './facts.ts';
import { all, texts, type XmlElement } from './xml-tree.ts';

/** What of an invoice stands at which path: the shapes that both syntaxes share. */
export type ReferencePaths = [ReferenceKind, string][];

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
