import type { KnownThing, NewEvent, Restore } from '@app/contracts';
import type { Connection } from 'mongoose';

/** What a service does with its restored database before any replica runs on it. */
export type RestoredDatabase = {
  /**
   * Raises versions and counters above all values that the lost time may have used. @returns sentences for the
   * operator
   */
  raise(connection: Connection, restore: Restore): Promise<string[]>;
};

/** `next`: the position after which the next page begins; null if there is none. */
export type RestorePage = { events: NewEvent[]; next: string | null };
/** `next` as in `RestorePage`. */
export type KnownPage = { things: KnownThing[]; next: string | null };

/** What a service does after a restore, its own or another's. Everything may be repeated. */
export type RestoreParticipant = {
  /** Tasks of `restorePlans`, besides `check`: each does one page and returns what is to be published. */
  tasks?: Record<string, (restore: Restore, after: string | null) => Promise<RestorePage>>;
  /** By kind: a page of what it keeps of things of other services (`check <kind>`). */
  known?: Record<string, (after: string | null) => Promise<KnownPage>>;
  /**
   * By kind: the ids of those that this service owns and has, and the events about them that the asking service may
   * have missed.
   */
  existing?: Record<string, (things: KnownThing[]) => Promise<{ ids: string[]; events?: NewEvent[] }>>;
  /**
   * By kind: handles the loss of a thing that its owner does not have any more. Writes get the version
   * `restore.epoch`.
   */
  lost?: Record<string, (thing: KnownThing, restore: Restore) => Promise<unknown>>;
};
