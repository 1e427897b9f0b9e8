import {
  contractorChanged,
  type DomainEvent,
  locationChanged,
  type SnapshotKind,
  snapshotsRequested,
  ticketChanged,
} from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { eventually, recordEvents } from '@app/testing';
import { createContractor } from '../../contractors/contractor.ts';
import { remove } from '../../moves/moves.ts';
import { createReferential } from '../../referentials/referential.ts';
import { usePlatform } from '../platform.ts';
import { aTicket, at, client } from '../tickets/fixtures.ts';

const app = usePlatform({ quiet: true });
let published: DomainEvent[];
beforeAll(async () => {
  await app.app.subscribe();
  const types = [ticketChanged, contractorChanged, locationChanged, snapshotsRequested];
  published = await recordEvents(app.broker, types);
});

/** A page, and a bit of another. */
const count = 503;
const identity = () => ({ _id: newId(), client_id: newId() });
const many = <T>(make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));

/** More than a page of each kind, of as many clients, and equipments between the locations. */
const population = {
  tickets: many((index) => (index % 2 ? remove(aTicket(), client, at, undefined).ticket : aTicket())),
  contractors: many(() => ({ ...createContractor(identity(), { name: 'Fixit' }, null), version: 4 })),
  locations: many(() => ({ ...createReferential({ ...identity(), kind: 'location' }, { name: 'Lyon' }), version: 2 })),
};
const equipments = many(() => createReferential({ ...identity(), kind: 'equipment' }, { name: 'Boiler' }));
const collections = { tickets: 'Ticket', contractors: 'Contractor', locations: 'Referential' } as const;

const insert = (model: string, documents: object[]) =>
  app.connection.model(model).collection.insertMany(documents as never);
const ask = (kind: SnapshotKind, after: string | null = null) =>
  app.broker.publish(toCloudEvents('test', [snapshotsRequested({ request_id: newId(), kind, after }, new Date())]));
const requests = (from: number) => published.slice(from).filter(({ type }) => type === snapshotsRequested.type);

beforeAll(async () => {
  for (const [kind, collection] of Object.entries(collections)) {
    const documents = population[kind as keyof typeof population];
    await insert(collection, documents);
  }
  await insert('Referential', equipments);
});

test.each([
  ['tickets', ticketChanged.type, { status: 'opened', version: 1 }],
  ['contractors', contractorChanged.type, { name: 'Fixit', version: 4 }],
  ['locations', locationChanged.type, { name: 'Lyon', version: 2, deleted: false }],
] as const)(
  'on request for %s it publishes a snapshot of every one, page by page, and of nothing else',
  async (kind, type, snapshot) => {
    const from = published.length;
    const ids = population[kind].map(({ _id }) => _id).sort();
    await ask(kind);
    await eventually(() => {
      const events = published.slice(from).filter((event) => event.type === type);
      expect(events.map(({ subject }) => subject as string).sort()).toEqual(ids);
    });
    const first = published.slice(from).find(({ subject }) => subject === population[kind][0]?._id);
    expect(Object.values(first?.data as object)).toEqual([
      expect.objectContaining({ id: population[kind][0]?._id, ...snapshot }),
    ]);
    // Each page asked for the next; the last is not full and asks for none.
    const after = requests(from).map(({ data }) => (data as { after: string | null }).after);
    expect(after).toEqual([null, ids[499]]);
    expect(published.length - from).toBe(count + 2);
  },
);

test('a request with an id continues after it; requests for what other services own are ignored', async () => {
  const from = published.length;
  const ids = population.contractors.map(({ _id }) => _id).sort();
  for (const kind of ['companies', 'purchases'] as const) await ask(kind);
  await ask('contractors', ids[500]);
  await eventually(() =>
    expect(
      published
        .slice(from)
        .flatMap(({ subject }) => subject ?? [])
        .sort(),
    ).toEqual(ids.slice(501)),
  );
  expect(requests(from)).toHaveLength(3);
});

test('a location written during a rename of its billing location gets the right name by its own event', async () => {
  const common = { client_id: newId(), kind: 'location' } as const;
  const billing = createReferential({ _id: newId(), ...common }, { name: 'Siège' });
  const named = { name: 'Lyon', location_facturation_id: billing._id };
  const location = { ...createReferential({ _id: newId(), ...common }, named), version: 1, facturation_name: 'before' };
  await insert('Referential', [billing, location]);
  const id = location._id;
  const snapshot = {
    id,
    version: 1,
    client_id: common.client_id,
    name: 'Lyon',
    reference: null,
    postal_code: null,
    deleted: false,
  };
  const event = locationChanged({ location: { ...snapshot, facturation_name: 'before' } }, new Date(), id);
  await app.broker.publish(toCloudEvents('ticket', [event]));
  await eventually(() =>
    expect(published.filter(({ subject }) => subject === id).map(({ data }) => data)).toContainEqual({
      location: { ...snapshot, version: 2, facturation_name: 'Siège' },
    }),
  );
});
