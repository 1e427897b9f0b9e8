import type { Targets } from './clocks.ts';
import type { Hours } from './working-time.ts';

/** What a client expects on tickets of a priority: all of them, or those of a place (with all below it), a domain, a typology. */
export type Policy = {
  priority: string;
  location_id: string | null;
  domain_id: string | null;
  typology_id: string | null;
} & Targets;

/** The hours of a place, with all below it; `location_id` null: of places without their own, and of tickets without a place. */
export type PlaceHours = Hours & { location_id: string | null };

/** What a client expects, and when its places work. */
export type ClockSettings = { policies: Policy[]; hours: PlaceHours[] };

/** What of a ticket its policy depends on. Each place and each domain comes with those above it, the nearest first. */
export type Classified = {
  priority: string;
  typology_id: string;
  places: readonly (readonly string[])[];
  domains: readonly (readonly string[])[];
};

/** The most specific policy that fits: by the nearest place, then by the nearest domain, then by typology; of equal ones the first. */
export function policyFor(policies: readonly Policy[], ticket: Classified): Policy | null {
  const fitting = policies.flatMap((policy) => {
    const rank = [
      distance(policy.location_id, ticket.places),
      distance(policy.domain_id, ticket.domains),
      distance(policy.typology_id, [[ticket.typology_id]]),
    ];
    return policy.priority === ticket.priority && !rank.includes(nowhere) ? [{ policy, rank }] : [];
  });
  return fitting.sort((one, other) => compare(one.rank, other.rank))[0]?.policy ?? null;
}

/** The hours of the first place of a ticket, or of the nearest above it that has some. */
export function hoursFor(hours: readonly PlaceHours[], { places: [first = []] }: Pick<Classified, 'places'>) {
  const ids = [...first, null];
  return ids.flatMap((id) => hours.find(({ location_id }) => location_id === id) ?? [])[0] ?? null;
}

const anywhere = 1_000;
const nowhere = Number.POSITIVE_INFINITY;

/** How many levels the named one is above the ticket's own; `anywhere` if none is named, `nowhere` if it is none of them. */
function distance(id: string | null, chains: readonly (readonly string[])[]): number {
  if (id === null) return anywhere;
  const found = chains.map((chain) => chain.indexOf(id)).filter((level) => level >= 0);
  return found.length === 0 ? nowhere : Math.min(...found);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((level, place) => level !== other[place]);
  return index < 0 ? 0 : (one[index] ?? 0) - (other[index] ?? 0);
}
