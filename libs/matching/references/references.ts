/** Labels that people write before a reference. */
const labels = [
  'INTERVENTION',
  'REFERENCE',
  'COMMANDE',
  'NUMERO',
  'TICKET',
  'DEVIS',
  'ORDER',
  'BDC',
  'CMD',
  'CDE',
  'NUM',
  'REF',
  'BC',
  'PO',
  'OT',
  'BT',
  'DI',
  'BR',
  'BL',
  'NO',
];
const label = new RegExp(`^(?:${labels.join('|')})(?![A-Z])[^A-Z0-9]*(?=[A-Z0-9])`);
/** The last run of digits, if it begins with a zero. The lookarounds keep the search linear: no run is tried twice. */
const lastNumber = /(?<!\d)(0\d+)(?!\d)[^A-Z0-9]*$/;
const placeholder = /^(?:NA|NC|ND|NEANT|SANS\D*|AUCUNE?\D*|NON\D*|TEST\d*|DUMMY.*|0+|X+)$/;
/** `Réf. commande N° BC` has three; each costs one pass over the text. */
const maxLabels = 8;
const minFormLength = 4;
const minNumberLength = 3;
/** What follows the number of an order: an item (`4500012345-00010`, `4500012345.00010`) or a revision (`PO00001-01`, `-B`). */
const itemOrRevision = /(?:[\p{Pd}_](?:[A-Z]{0,4}\d{1,5}|[A-Z])|\.0\d{2,4})[^A-Z0-9]*$/u;
/** Without letters a shorter number is rather a year, a month or a street's. */
const minBareOrderDigits = 5;
/** Shorter forms are all within one typing error of each other. */
const minFuzzyLength = 6;
const minFuzzyDigits = 3;

/**
 * The normalized forms of a reference, longest first; placeholders and texts that are too short have none. Upper case
 * without accents and punctuation; with and without its labels; with and without leading zeros in its last run of digits.
 */
export function formsOf(text: string): readonly string[] {
  let rest = plain(text)
    .replace(/(?<![A-Z])N°/g, ' ')
    .trim();
  const forms = new Set<string>();
  if (placeholder.test(compact(rest))) return [];
  addForms(forms, rest);
  for (let labelsLeft = maxLabels; labelsLeft > 0; labelsLeft -= 1) {
    const bare = rest.replace(label, '');
    if (bare === rest) break;
    rest = bare;
    addForms(forms, rest);
  }
  return longestFirst(forms);
}

/**
 * What a known reference is indexed by: its forms, also without the letters before its first digit, because people leave
 * out the prefix that a system gives its numbers (`T-001042`, `DEV-2026-118`).
 */
export function referenceKeys(text: string): readonly string[] {
  const forms = formsOf(text);
  const [, number] = /^[A-Z]{1,4}[^A-Z0-9]*(\d.*)$/.exec(plain(text).trim()) ?? [];
  if (number === undefined || forms.length === 0) return forms;
  const bare = new Set<string>();
  addForms(bare, number);
  return longestFirst(new Set([...forms, ...[...bare].filter(isSpecific)]));
}

/** The forms of the order's number where an item or a revision follows it; none if nothing does. */
export function formsWithoutItem(text: string): readonly string[] {
  const whole = plain(text).trim();
  const number = whole.replace(itemOrRevision, '');
  if (number === whole) return [];
  return formsOf(number).filter((form) => {
    const digits = form.replace(/\D+/g, '').length;
    return digits >= (digits === form.length ? minBareOrderDigits : minNumberLength);
  });
}

function addForms(forms: Set<string>, text: string): void {
  forms.add(compact(text));
  forms.add(compact(text.replace(lastNumber, (_, number: string) => number.replace(/^0+(?=\d)/, ''))));
}

function longestFirst(forms: ReadonlySet<string>): string[] {
  return [...forms].filter(isLongEnough).sort((one, other) => other.length - one.length);
}

/** Upper case, without accents. */
export function plain(text: string): string {
  const letters = isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.toUpperCase();
}

/** Only the letters and digits of a text that is `plain`. */
export function compact(text: string): string {
  return text.replace(/[^A-Z0-9]+/g, '');
}

/** True for forms of 4 characters and more; shorter ones (3 digits) count for invoices of known suppliers only. */
export function isSpecific(form: string): boolean {
  return form.length >= minFormLength;
}

function isLongEnough(form: string): boolean {
  return form.length >= (/^\d+$/.test(form) ? minNumberLength : minFormLength);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 126) return false;
  return true;
}

/** True if the form is long enough to be compared with a tolerance of one typing error. */
export function allowsFuzzyMatch(form: string): boolean {
  return form.length >= minFuzzyLength && form.replace(/\D+/g, '').length >= minFuzzyDigits;
}

/** True for exactly one typing error: a character added, left out or replaced, or two neighbours swapped. */
export function isOneEditApart(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || long === short) return false;
  let start = 0;
  while (start < short.length && long[start] === short[start]) start += 1;
  if (long.length > short.length) return long.slice(start + 1) === short.slice(start);
  if (long.slice(start + 1) === short.slice(start + 1)) return true;
  const swapped = long[start] === short[start + 1] && long[start + 1] === short[start];
  return swapped && long.slice(start + 2) === short.slice(start + 2);
}

/** For two forms one edit apart: true if a digit is replaced, as in consecutive numbers. */
export function differsInDigit(one: string, other: string): boolean {
  const digits = (form: string) => [...form.replace(/\D+/g, '')].sort().join('');
  const [ones, others] = [digits(one), digits(other)];
  return ones.length === others.length && ones !== others;
}
