import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DomainEvent, type EventType, eventTypes } from '@app/contracts';

/** A domain event type with its frozen example, whose `source` says which service publishes it. */
export type CatalogueEntry = { eventType: EventType<never>; publisher: string; example: DomainEvent };

/** Every event type of the contracts. */
export function readCatalogue(root: string): CatalogueEntry[] {
  return [...eventTypes.values()].map((eventType) => {
    const file = join(root, 'libs/contracts/fixtures', `${eventType.type}.json`);
    const example = JSON.parse(readFileSync(file, 'utf8')) as DomainEvent;
    return { eventType, publisher: example.source.replace('/services/', ''), example };
  });
}
