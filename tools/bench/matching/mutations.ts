import type { Random } from '@app/demo';

/** Labels that people write before a reference; the matcher does not know all of them. */
const labels = [
  'BC n° ',
  'BC ',
  'Commande ',
  'Commande n°',
  'commande N° ',
  'Cde ',
  'Votre cde : ',
  'Bon de commande n° ',
  'PO ',
  'PO#',
  'V/Réf. ',
  'Réf : ',
  'REF ',
  'n°',
  'N° ',
  'Cmd ',
  'order ',
  'Num. ',
];
const placeholders = ['NA', 'N/A', 'néant', '-', '0', 'Sans', 'sans objet', 'aucune', 'Dummywert', 'NC', 'x'];
const junk = ['contrat annuel', 'M. Lefevre', 'par téléphone', 'service technique', 'URGENT', 'suivant devis'];
const separators = ['-', ' ', '/', '.', '_', '', ' - '];

/** A reference as people copy it: other separators or case, labels added or removed, leading zeros dropped. */
export function rewritten(random: Random, reference: string): string {
  const separator = random.one(separators);
  const changes: ((text: string) => string)[] = [
    (text) => text.replace(/[-/ ]/g, separator),
    (text) => text.toLowerCase(),
    (text) => text.replace(/(?<!\d)0+(?=\d)/g, ''),
    (text) => random.one(labels) + text,
    (text) => text.replace(/^[A-Z]+[-/ ]?/, ''),
    (text) => ` ${text.replace(/-/g, '‑')} `,
    (text) => text.replace(/^([A-Z]+)[-/ ]?/, '$1 n° '),
  ];
  const times = random.weighted({ once: 0.55, twice: 0.35, thrice: 0.1 });
  let text = reference;
  for (let left = { once: 1, twice: 2, thrice: 3 }[times]; left > 0; left -= 1) text = random.one(changes)(text);
  return text;
}

/** One typing or scanning error. */
export function mistyped(random: Random, reference: string): string {
  const digits = [...reference.matchAll(/\d/g)].map(({ index }) => index);
  const at = random.chance(0.9) && digits.length > 0 ? random.one(digits) : random.whole(0, reference.length - 1);
  const [before, here, after] = [reference.slice(0, at), reference.charAt(at), reference.slice(at + 1)];
  const slips: Record<string, () => string> = {
    other: () => before + String((Number(here) + random.whole(1, 9)) % 10) + after,
    missing: () => before + after,
    doubled: () => before + here + here + after,
    swapped: () => before + after.charAt(0) + here + after.slice(1),
    letter: () => before + ({ '0': 'O', '1': 'I', '5': 'S', '8': 'B' }[here] ?? here + here) + after,
  };
  const slip = random.weighted({ other: 0.3, missing: 0.2, doubled: 0.15, swapped: 0.25, letter: 0.1 });
  return (slips[slip] as () => string)();
}

/** Text without meaning in a field that should hold a reference. */
export function uselessText(random: Random): string | null {
  return random.chance(0.4) ? null : random.one(random.chance(0.6) ? placeholders : junk);
}

/** A sentence around a reference, as in notes and line labels. */
export function asSentence(random: Random, reference: string, day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return random.one([
    `Suivant votre commande ${reference} du ${date}/${month}/${year}`,
    `Intervention du ${date}/${month}/${year} - BC ${reference}`,
    `Vos références : ${reference}, nos références : F${random.whole(1000, 9999)}`,
    `Dépannage selon ${reference} (2 techniciens, 3 h)`,
    `${reference} / déplacement zone ${random.whole(1, 5)}`,
    `Cde n° ${reference}. Paiement à 30 jours, tél. 01 45 ${random.whole(10, 99)} ${random.whole(10, 99)} 12`,
  ]);
}
