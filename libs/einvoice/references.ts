import { invoiceLimits as limits, type ReferenceKind } from '@app/contracts';

type Reference = { kind: ReferenceKind; value: string };

/** The order in which the references of a document are returned. */
const kinds: ReferenceKind[] = [
  'order',
  'sales_order',
  'buyer_reference',
  'project',
  'contract',
  'receipt',
  'despatch',
  'preceding_invoice',
];

/** What software writes into a mandatory reference field if there is no reference. */
const placeholders = new Set(
  'NA NC ND NEANT SANS AUCUN AUCUNE NONE NULL UNKNOWN INCONNU TEST X XX XXX 0 00 000'.split(' '),
);

/** Sorts the references by kind and removes duplicates, placeholders and texts that are too long. */
export function cleanReferences(references: Reference[]): Reference[] {
  const cleaned = references
    .map(({ kind, value }) => ({ kind, value: value.replace(/\s+/g, ' ').trim() }))
    .filter(({ value }) => value.length <= limits.referenceLength && !isPlaceholder(value));
  const unique = new Map(cleaned.map((reference) => [`${reference.kind} ${reference.value}`, reference]));
  const inOrder = kinds.flatMap((kind) => [...unique.values()].filter((reference) => reference.kind === kind));
  return inOrder.slice(0, limits.references);
}

function isPlaceholder(value: string): boolean {
  const plain = value
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  return plain === '' || placeholders.has(plain) || plain.startsWith('DUMMY');
}

/** The ticket that the texts name ("Ticket n° 2026-118", "ticket #4711"); null if they name none, or several. */
export function ticketNamedIn(texts: string[]): string | null {
  const pattern =
    /\bticket\s{0,3}(?:n°|nº|no\.?|num[ée]ro|ref\.?|#|:)?\s{0,3}[:#]?\s{0,3}([a-z0-9][a-z0-9_/.-]{2,40})/gi;
  const named = texts.flatMap((text) =>
    [...text.matchAll(pattern)].map(([, name = '']) => name.replace(/(?<![._/-])[._/-]+$/, '')),
  );
  const [ticket, ...others] = new Set(named.filter((name) => /\d{2}/.test(name)));
  return ticket !== undefined && others.length === 0 ? ticket : null;
}
