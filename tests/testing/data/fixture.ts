import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DomainEvent } from '@app/contracts';

/** The frozen example of an event type, to be fed to what consumes it. */
export function eventFixture<T>(eventType: { readonly type: string; (data: T, at: Date): unknown }): DomainEvent<T> {
  const file = join(__dirname, '../../../libs/contracts/fixtures', `${eventType.type}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as DomainEvent<T>;
}
