import { locationChanged } from '@app/contracts';
import { on, type Subscription } from '@app/messaging';
import type { ReferentialStore } from './referential-store.ts';

/** Corrects the names of billing locations when a location is renamed or gets another billing location. */
export function locationNameSubscriptions(referentials: ReferentialStore): Subscription[] {
  return [on(locationChanged, ({ data }) => referentials.checkBilling(data.location.id))];
}
