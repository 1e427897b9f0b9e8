/**
 * When a provider was asked for an invoice. `sequence` counts the fetches of an invoice, whichever process makes them;
 * without it: told by a release that did not count.
 */
export type Asked = { at: Date; sequence: number | null };

/**
 * Whether the provider was asked later than another time. Clocks of processes differ and step back: they are looked at
 * only where one of the two was not counted.
 */
export function isLater(asked: Asked, than: Asked): boolean {
  if (asked.sequence !== null && than.sequence !== null) return asked.sequence > than.sequence;
  return asked.at > than.at;
}
