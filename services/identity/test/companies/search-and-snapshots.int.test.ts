import { companyCreated, snapshotsRequested, userChanged } from '@app/contracts';
import { newId } from '@app/kernel';
import { toCloudEvents } from '@app/messaging';
import { maxLookedAt } from '@app/runtime';
import { eventually, profiled, recordEvents, testBroker } from '@app/testing';
import { aUser, pagesOf, useIdentity } from '../identity.ts';

const identity = useIdentity();
const clear = async () => {
  for (const name of ['users', 'companies']) await collection(name).deleteMany({});
};

type Item = { id: string; name?: string; email?: string };
const collection = (name: string) =>
  identity.connection.collection<{ _id: string; words?: string[] | undefined; version?: number | undefined }>(name);
async function found(what: string, query: Record<string, string | number>): Promise<Item[]> {
  const text = new URLSearchParams(query as Record<string, string>);
  const { status, body } = await identity.byPlatform('GET', `/admin/${what}?${text}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body['items'] as unknown as Item[];
}
const namesOf = async (q: string) => (await found('companies', { q })).map(({ name }) => name);
const emailsOf = async (q: string, more = {}) => (await found('users', { q, ...more })).map(({ email }) => email);
async function add(what: 'companies' | 'users', body: object): Promise<string> {
  const answer = await identity.byPlatform('POST', `/admin/${what}`, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.body['id']);
}
const patch = (path: string, body: object) => identity.byPlatform('PATCH', path, body);
const [bistro, garage] = ['Bistro de l’Étage', 'Garage Étoile'];
async function population() {
  const one = await add('companies', { name: bistro, kind: 'client', siret: '732 829 320 00074' });
  const other = await add('companies', { name: garage, kind: 'contractor' });
  await add('users', { ...aUser(one), email: 'z.p@bistro.test', first_name: 'Zoé', last_name: 'Petit-Jean' });
  await add('users', { ...aUser(other), email: 'ada@garage.test', first_name: 'Ada', last_name: 'Petit' });
  return { one, other };
}

describe('two companies with a user each', () => {
  let known: Awaited<ReturnType<typeof population>>;
  beforeAll(async () => {
    known = await population();
  });

  test.each([
    ['bis', [bistro]],
    ['eta', [bistro]],
    ['ÉT', [bistro, garage]],
    ['étoile garage', [garage]],
    ['732829', [bistro]],
    ['732 829 320', [bistro]],
    ['73282932000074', [bistro]],
    ['istro', []],
    ['bistro garage', []],
    ['.*', []],
    ['--', []],
  ])('companies with %j are %j', async (q, names) => {
    expect(await namesOf(q)).toEqual(names);
  });

  test.each([
    ['petit', ['z.p@bistro.test', 'ada@garage.test']],
    ['zoe petit', ['z.p@bistro.test']],
    ['jean', ['z.p@bistro.test']],
    ['Z.P@Bistro.test', ['z.p@bistro.test']],
    ['garage.test', ['ada@garage.test']],
    ['ada zoe', []],
  ])('users with %j are %j', async (q, emails) => {
    expect(await emailsOf(q)).toEqual(emails);
    expect(await emailsOf(q, { company_id: known.other })).toEqual(
      emails.filter((email) => email === 'ada@garage.test'),
    );
  });

  test('what is renamed is found by its new name alone, and of who was erased nothing is left', async () => {
    const { one } = known;
    await patch(`/admin/companies/${one}`, { name: 'Brasserie', siret: null });
    expect([await namesOf('brass'), await namesOf('bistro'), await namesOf('732829320')]).toEqual([
      ['Brasserie'],
      [],
      [],
    ]);
    const [user] = await found('users', { q: 'zoe' });
    await patch(`/admin/users/${user?.id}`, { first_name: 'Nadia' });
    expect([await emailsOf('nadia'), await emailsOf('zoe petit-jean')]).toEqual([['z.p@bistro.test'], []]);
    await identity.byPlatform('POST', `/admin/users/${user?.id}/erase`);
    expect([await emailsOf('nadia'), await emailsOf('zoe')]).toEqual([[], []]);
  });
});

test('pages of a search follow each other in the order of ids', async () => {
  const company = await add('companies', { name: 'Acme', kind: 'client' });
  const ids: string[] = [];
  for (const n of [3, 1, 2, 5, 4]) ids.push(await add('users', { ...aUser(company), last_name: `Martin${n}` }));
  ids.sort();
  const pages = await pagesOf<Item>((cursor) => identity.byPlatform('GET', `/admin/users?q=martin&limit=2${cursor}`));
  expect(pages.map((page) => page.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
});

test('a search reads as much however many there are, by an index, and those of one company are all found', async () => {
  await clear();
  const company = newId();
  const many = Array.from({ length: 4 * maxLookedAt }, (_, n) => ({
    _id: newId(),
    company_id: n % 100 === 0 ? company : newId(),
    email: `m${n}@many.test`,
    first_name: 'Ada',
    last_name: 'Martin',
    permissions: [],
    created_at: new Date(),
    words: ['ADA', 'MARTIN', `M${n}MANYTEST`],
  }));
  await collection('users').insertMany(many);
  for (const query of [{ q: 'mart' }, { q: 'ada martin' }, { q: 'm39' }, { q: 'mart', company_id: company }]) {
    const operations = await profiled(identity, () => found('users', query));
    const reads = operations.filter(({ ns, command }) => ns.endsWith('.users') && command.hint !== 'outbox');
    expect(reads).toHaveLength(2);
    for (const read of reads) {
      expect(read.planSummary).toMatch(/^IXSCAN/);
      expect(read.docsExamined).toBeLessThanOrEqual(maxLookedAt);
      expect(read.keysExamined).toBeLessThanOrEqual(2 * maxLookedAt);
    }
  }
  expect(await found('users', { q: 'mart', company_id: company, limit: 200 })).toHaveLength(40);
});

test.each([['companies'], ['users']])('a search of %s for nothing, or for a whole book, is refused', async (what) => {
  for (const q of ['', 'x'.repeat(201)]) {
    const answer = await identity.byPlatform('GET', `/admin/${what}?q=${q}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'q' }] } });
  }
});

describe('on request', () => {
  beforeEach(clear);
  /** Page by page: a snapshot of each, and a request for what follows. */
  const count = 501;
  test.each([
    ['companies', companyCreated, { kind: 'client', siret: '73282932000074', siren: '732829320' }],
    [
      'users',
      userChanged,
      {
        company_id: newId(),
        first_name: 'A',
        last_name: 'B',
        phone: null,
        permissions: ['api_webhooks'],
        active: true,
        version: 0,
      },
    ],
  ] as const)(
    'a snapshot of each of the %s is published again, without secrets, and of nothing else',
    async (kind, type, given) => {
      const documents = Array.from({ length: count }, (_, index) => ({
        ...(kind === 'users' ? { email: `user-${index}@example.com`, password_hash: 'hush' } : { name: `C ${index}` }),
        _id: newId(),
        created_at: new Date(),
        ...given,
      }));
      await collection(kind).insertMany(documents as never);
      const ids = documents.map(({ _id }) => _id).sort();
      const broker = await testBroker(identity.namespace);
      const published = await recordEvents(broker, [type, snapshotsRequested], kind);
      const asked = (['tickets', kind] as const).map((one) =>
        snapshotsRequested({ request_id: newId(), kind: one, after: null }, new Date()),
      );
      await broker.publish(toCloudEvents('test', asked));
      await eventually(() => expect(published.flatMap(({ subject }) => subject ?? []).sort()).toEqual(ids));
      expect(JSON.stringify(published)).not.toContain('hush');
      const [{ _id: id, created_at: _at, ...snapshot }] = documents as unknown as [Record<string, unknown>];
      const { source, data } = published.find(({ subject }) => subject === id) ?? {};
      expect(source).toBe('/services/identity');
      if (kind === 'companies') expect(data).toEqual({ company: { id, ...snapshot } });
      const requests = published.filter((one) => one.type === snapshotsRequested.type);
      const after = requests.map((one) => (one.data as { after: string | null }).after);
      expect(after.sort()).toEqual([null, null, ids[499]].sort());
      await broker.close();
    },
  );
});
