/** An IBAN in fours, as banks print it; `differs` says which of its letters are not those of the other one. */
type IbanGroup = { text: string; differs: boolean[] };

export function ibanGroups(iban: string, other: string | null = null): IbanGroup[] {
  const plain = withoutSpaces(iban);
  const compared = other === null ? plain : withoutSpaces(other);
  const groups: IbanGroup[] = [];
  for (let start = 0; start < plain.length; start += 4) {
    const text = plain.slice(start, start + 4);
    groups.push({ text, differs: [...text].map((letter, index) => compared[start + index] !== letter) });
  }
  return groups;
}

/** The known IBAN that is most similar to the new one: their difference is what a forger would have changed. */
export function nearestIban(known: readonly string[], iban: string): string | null {
  const distance = (one: string) =>
    ibanGroups(iban, one).reduce((sum, { differs }) => sum + differs.filter(Boolean).length, 0);
  return [...known].sort((a, b) => distance(a) - distance(b))[0] ?? null;
}

function withoutSpaces(iban: string): string {
  return iban.replace(/\s/g, '').toUpperCase();
}
