import type { KnownThing, NewEvent, Restore } from '@app/contracts';
import type { Connection } from 'mongoose';

/** What a service does with its own database once that was restored, before any replica runs on it. */
export type RestoredDatabase = {
  /** Raises its versions, and all that was counted, above what the lost time may have used. @returns sentences for the operator */
  raise(connection: Connection, restore: Restore): Promise<string[]>;
};

/** `next`: the position after which the next page begins; null if there is none. */
export type RestorePage = { events: NewEvent[]; next: string | null };
export type KnownPage = { things: KnownThing[]; next: string | null };

/** What a service does after a restore, its own or another's. Everything may be repeated. */
export type RestoreParticipant = {
  /** Tasks of `restorePlans`, besides `check`: each does one page and returns what is to be published. */
  tasks?: Record<string, (restore: Restore, after: string | null) => Promise<RestorePage>>;
  /** By kind: a page of what it keeps of things of other services (`check <kind>`). */
  known?: Record<string, (after: string | null) => Promise<KnownPage>>;
  /** By kind: the ids of those that it owns and has, and what it tells of them, which the asker may not have heard. */
  existing?: Record<string, (things: KnownThing[]) => Promise<{ ids: string[]; events?: NewEvent[] }>>;
  /** By kind: their owner does not have them any more. What is written is of the version `restore.epoch`. */
  lost?: Record<string, (things: KnownThing[], restore: Restore) => Promise<void>>;
};
