/** Labels that people put before a reference (domain.md section 6.1, and `CDE`, `ORDER`, which stand on as many papers). */
const labels = [
  ...['INTERVENTION', 'REFERENCE', 'COMMANDE', 'NUMERO', 'TICKET', 'DEVIS', 'ORDER', 'BDC', 'CMD', 'CDE', 'NUM', 'REF'],
  ...['BC', 'PO', 'OT', 'BT', 'DI', 'BR', 'BL', 'NO'],
];
const label = new RegExp(`^(?:${labels.join('|')})(?![A-Z])[^A-Z0-9]*(?=[A-Z0-9])`);
/** The last run of digits, where it begins with a zero. Neither end of it may be a digit, so that no run is looked at twice. */
const lastNumber = /(?<!\d)(0\d+)(?!\d)[^A-Z0-9]*$/;
const placeholder = /^(?:NA|NC|ND|NEANT|SANS\D*|AUCUNE?\D*|NON\D*|TEST\d*|DUMMY.*|0+|X+)$/;
/** `Réf. commande N° BC` are three; each costs a walk along the text. */
const mostLabels = 8;
const shortestForm = 4;
const shortestNumber = 3;
/** A near reference has at least that many characters, and digits: below, everything is near everything. */
const nearLength = 6;
const nearDigits = 3;

/**
 * The forms in which a reference is compared, fullest first; a placeholder, and what is too short, has none (spec:
 * domain.md section 6.1). Upper case without accents and punctuation; with and without its leading labels; with and
 * without leading zeros in its last run of digits. Forms of 3 characters (digits alone) count for known suppliers only.
 */
export function formsOf(text: string): readonly string[] {
  let rest = plain(text)
    .replace(/(?<![A-Z])N°/g, ' ')
    .trim();
  const forms = new Set<string>();
  if (placeholder.test(compact(rest))) return [];
  addForms(forms, rest);
  for (let labelsLeft = mostLabels; labelsLeft > 0; labelsLeft -= 1) {
    const bare = rest.replace(label, '');
    if (bare === rest) break;
    rest = bare;
    addForms(forms, rest);
  }
  return fullestFirst(forms);
}

/**
 * What a store indexes a reference by: its forms, and those without the letters before its first digit. People leave out
 * the prefix that a system gives its numbers (`T-001042`, `DEV-2026-118`), whatever it is.
 */
export function referenceKeys(text: string): readonly string[] {
  const forms = formsOf(text);
  const [, number] = /^[A-Z]{1,4}[^A-Z0-9]*(\d.*)$/.exec(plain(text).trim()) ?? [];
  if (number === undefined || forms.length === 0) return forms;
  const bare = new Set<string>();
  addForms(bare, number);
  return fullestFirst(new Set([...forms, ...[...bare].filter(isTelling)]));
}

function addForms(forms: Set<string>, text: string): void {
  forms.add(compact(text));
  forms.add(compact(text.replace(lastNumber, (_, number: string) => number.replace(/^0+(?=\d)/, ''))));
}

function fullestFirst(forms: ReadonlySet<string>): string[] {
  return [...forms].filter(isLongEnough).sort((one, other) => other.length - one.length);
}

/** Upper case, without accents. */
export function plain(text: string): string {
  const letters = isAscii(text) ? text : text.normalize('NFKD').replace(/\p{M}/gu, '');
  return letters.toUpperCase();
}

/** Letters and digits alone, of a text that is `plain`. */
export function compact(text: string): string {
  return text.replace(/[^A-Z0-9]+/g, '');
}

/** A form that is compared whoever sent the invoice; a shorter one says something of a known supplier's alone. */
export function isTelling(form: string): boolean {
  return form.length >= shortestForm;
}

function isLongEnough(form: string): boolean {
  return form.length >= (/^\d+$/.test(form) ? shortestNumber : shortestForm);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 126) return false;
  return true;
}

/** Long enough, and with digits enough, to be compared with others that nearly agree. */
export function mayBeNear(form: string): boolean {
  return form.length >= nearLength && form.replace(/\D+/g, '').length >= nearDigits;
}

/** True where one typing error makes one form the other: a character more, less or another, or two neighbours swapped. */
export function isNear(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || long === short) return false;
  let start = 0;
  while (start < short.length && long[start] === short[start]) start += 1;
  if (long.length > short.length) return long.slice(start + 1) === short.slice(start);
  if (long.slice(start + 1) === short.slice(start + 1)) return true;
  const swapped = long[start] === short[start + 1] && long[start + 1] === short[start];
  return swapped && long.slice(start + 2) === short.slice(start + 2);
}

/** Of two forms that are near: true where one digit stands for another, as in the number that follows. */
export function hasAnotherDigit(one: string, other: string): boolean {
  const digits = (form: string) => [...form.replace(/\D+/g, '')].sort().join('');
  const [ones, others] = [digits(one), digits(other)];
  return ones.length === others.length && ones !== others;
}
