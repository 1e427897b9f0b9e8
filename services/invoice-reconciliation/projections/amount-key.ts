/** The key by which invoices and tickets of a contractor with the same amount find each other. */
export function amountKey(contractorId: string, cents: number): string {
  return `${contractorId}:${cents}`;
}

/** The keys of all amounts that count as equal: up to 2 cents more or less. */
export function nearAmounts(keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const [contractorId = '', cents = ''] = key.split(':');
    return [-2, -1, 0, 1, 2].map((difference) => amountKey(contractorId, Number(cents) + difference));
  });
}
