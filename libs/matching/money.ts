/** An amount in whole cents, so that sums are exact. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}

/** Cents as people read an amount: `1 284.50`. */
export function formatCents(amount: number): string {
  const [whole = '0', part] = (Math.abs(amount) / 100).toFixed(2).split('.');
  return `${amount < 0 ? '-' : ''}${whole.replace(/\B(?=(?:\d{3}){1,7}$)/g, ' ')}.${part}`;
}
