/** By which invoices and tickets of a contractor with the same amount find each other. */
export function amountKey(contractorId: string, cents: number): string {
  return `${contractorId}:${cents}`;
}

/** Amounts that count as equal to those of a ticket: 2 cents more or less (`amountKey`). */
export function nearAmounts(amounts: readonly string[]): string[] {
  return amounts.flatMap((amount) => {
    const [contractorId = '', cents = ''] = amount.split(':');
    return [-2, -1, 0, 1, 2].map((off) => amountKey(contractorId, Number(cents) + off));
  });
}
