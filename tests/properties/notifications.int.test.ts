import type { NotificationRaised, Permission } from '@app/contracts';
import { newId } from '@app/kernel';
import { ensureIndexes, testDatabase } from '@app/testing';
import fc from 'fast-check';
import type { Company } from '../../services/identity/companies/company.ts';
import {
  createNotificationStore,
  type NotificationStore,
} from '../../services/identity/notifications/notification-store.ts';
import { notifyUsers } from '../../services/identity/notifications/notify-users.ts';
import { callerOf } from '../../services/identity/sessions/session.ts';
import type { User } from '../../services/identity/users/user.ts';
import { isReadable, type Note, type NoteType, noteTypes } from '../../services/ticket/notes/note.ts';
import { toldOfNote } from '../../services/ticket/notes/note-notifications.ts';
import { aTicket } from '../../services/ticket/test/tickets/fixtures.ts';
import {
  hasOtherReaders,
  notificationEvents,
  readersChanged,
  toldOfChange,
} from '../../services/ticket/tickets/lifecycle/ticket-notifications.ts';
import type { Ticket, UserRef } from '../../services/ticket/tickets/ticket.ts';
import { sees } from '../../services/ticket/tickets/visibility.ts';
import { checkAsyncProperty } from './check-property.ts';

/** Each place with the one that it is in. */
const places: Record<string, string | null> = { site: null, hall: 'site', room: 'hall', elsewhere: null };
const above = (id: string | null): string[] => (id === null ? [] : [id, ...above(places[id] ?? null)]);
const below = (ids: readonly string[]) =>
  Object.keys(places).filter((id) => above(id).some((one) => ids.includes(one)));
const placesAbove = async ({ location_ids }: Ticket) => location_ids.flatMap(above);

type Rights = Pick<User, 'permissions' | 'place_ids'>;
const rights =
  (...permissions: Permission[]) =>
  (...place_ids: string[]): Rights => ({ permissions, place_ids });
const limited = [[], ['site'], ['room'], ['elsewhere'], ['hall', 'elsewhere']].map((ids) => rights('tickets')(...ids));
const anyRights = fc.constantFrom(...limited, rights('admin')(), rights('accounting')());

const people = 4;
const person = fc.nat({ max: people - 1 });
type Step =
  | { by: number; note: NoteType }
  | { managers: number[] }
  | { locations: string[] }
  | { who: number; rights: Rights };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ by: person, note: fc.constantFrom(...noteTypes) }) },
  fc.record({ managers: fc.uniqueArray(person) }),
  fc.record({ locations: fc.subarray(Object.keys(places), { maxLength: 2 }) }),
  fc.record({ who: person, rights: anyRights }),
);

/** One ticket of a client and its people, with what these were told and both services keep of it. */
class World {
  readonly company = { id: newId(), name: 'Acme', kind: 'client', closed_at: null } as Company;
  readonly users: User[];
  readonly notes = new Map<string, Note>();
  ticket: Ticket = aTicket({ client_id: this.company.id, location_ids: ['room'] });
  #now = this.ticket.updated_at.getTime();
  readonly #store: NotificationStore;

  constructor(store: NotificationStore, first: Rights[]) {
    this.#store = store;
    this.users = first.map((one) => {
      return { id: newId(), company_id: this.company.id, active: true, invited: false, ...one } as User;
    });
  }

  async apply(next: Step): Promise<void> {
    this.#now += 1_000;
    if ('rights' in next) Object.assign(this.users[next.who] as User, next.rights);
    else if ('note' in next) await this.#write(this.#ref(next.by), next.note, new Date(this.#now));
    else if ('managers' in next) await this.#change({ manager_ids: next.managers.map((one) => this.#ref(one)._id) });
    else await this.#change({ location_ids: next.locations });
  }

  caller(user: User) {
    return callerOf(user, this.company, 'session');
  }

  #ref(nth: number): UserRef {
    const { id: _id } = this.users[nth] as User;
    return { _id, firstName: '', lastName: '', email: '', company_id: this.company.id };
  }

  async #write(author: UserRef, type: NoteType, created_at: Date): Promise<void> {
    const { _id: ticket_id, client_id: company_id } = this.ticket;
    const [one] = this.users as [User];
    const draft = { text: `@[x](user:${one.id}) and all`, type, author };
    const note = { _id: newId(), ticket_id, company_id, note: draft.text, type, author, created_at };
    for (const what of ['note', 'mention'])
      this.notes.set(`ticket:${ticket_id}:${what}:${created_at.toISOString()}`, note);
    // Who may not read it is not mentioned.
    const told = toldOfNote(this.ticket, draft, created_at, []).filter(
      ({ kind }) => kind !== 'mention' || this.mayRead(one, note),
    );
    await this.#tell(
      notificationEvents(this.ticket, told, { by: author, placeIds: await placesAbove(this.ticket), at: created_at }),
    );
  }

  async #change(change: Partial<Ticket>): Promise<void> {
    const [before, at] = [this.ticket, new Date(this.#now)];
    this.ticket = { ...before, ...change, updated_at: at };
    const told = toldOfChange(before, this.ticket, null);
    if (hasOtherReaders(before, this.ticket)) {
      const { data } = readersChanged(this.ticket, await placesAbove(this.ticket));
      await this.#store.readersChanged(data as Parameters<NotificationStore['readersChanged']>[0], at);
    }
    await this.#tell(notificationEvents(this.ticket, told, { by: null, placeIds: await placesAbove(this.ticket), at }));
  }

  async #tell(events: { data: unknown }[]): Promise<void> {
    const { users, company } = this;
    for (const { data } of events)
      await notifyUsers(
        {
          companies: { find: async () => company },
          users: { list: async () => users, findOf: async (_, ids) => users.filter(({ id }) => ids.includes(id)) },
          preferences: { timeZones: async () => new Map() },
          notifications: this.#store,
          now: () => new Date(this.#now),
        },
        data as NotificationRaised,
      );
  }

  /** By the rules of the ticket API. `note`: undefined for what is told of the ticket alone. */
  mayRead(user: User, note: Note | undefined): boolean {
    const caller = this.caller(user);
    const viewer = { ...caller, ...(caller.placeIds ? { placeIds: below(caller.placeIds) } : {}) };
    const works = user.permissions.includes('tickets') || user.permissions.includes('admin');
    return works && sees(viewer, this.ticket) && (note === undefined || isReadable(note, this.ticket, caller));
  }
}

test('whatever happens, users are shown of what they were told what the ticket API lets them read: in list, count and e-mails', async () => {
  const { connection, drop } = await testDatabase();
  const store = createNotificationStore({ connection });
  await ensureIndexes(connection);
  const stored = connection.collection<{ _id: string; key: string }>('notifications');
  const beginning = fc.array(anyRights, { minLength: people, maxLength: people });
  let [told, hidden] = [0, 0];
  await checkAsyncProperty(
    fc.asyncProperty(beginning, fc.array(step, { minLength: 4, maxLength: 16 }), async (first, steps) => {
      const world = new World(store, first);
      for (const next of steps) await world.apply(next);
      for (const user of world.users) {
        const all = await stored.find({ user_id: user.id }).sort({ _id: -1 }).toArray();
        const readable = all.filter(({ key }) => world.mayRead(user, world.notes.get(key))).map(({ _id }) => _id);
        const caller = world.caller(user);
        expect((await store.list(caller, { limit: 100 })).map(({ _id }) => _id)).toEqual(readable);
        expect(await store.countUnread(caller)).toBe(readable.length);
        expect(
          [
            ...(await store.readable(
              caller,
              all.map(({ _id }) => _id),
            )),
          ].toSorted(),
        ).toEqual(readable.toSorted());
        told += all.length;
        hidden += all.length - readable.length;
      }
    }),
    60,
  );
  expect(told).toBeGreaterThan(100);
  expect(hidden).toBeGreaterThan(20);
  await drop();
});
