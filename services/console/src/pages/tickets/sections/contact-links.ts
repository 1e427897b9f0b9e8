import type { Ticket } from '../list-query.ts';

type Place = Ticket['locations'][number];

/** The address of a place in one line; empty if it has none. */
export function addressOf({ address }: Place): string {
  const { fullAddress, streetNumber, route, postalCode, city } = address ?? {};
  return fullAddress ?? [streetNumber, route, postalCode, city].filter(Boolean).join(' ');
}

/** A map of the place. */
export function mapOf(place: Place): string {
  return `https://www.openstreetmap.org/search?query=${encodeURIComponent(addressOf(place) || (place.name ?? ''))}`;
}

/** What calls the number. */
export function telOf(phone: string): string {
  return `tel:${phone.replace(/[^+\d]/g, '')}`;
}
