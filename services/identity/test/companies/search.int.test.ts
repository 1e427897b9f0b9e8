import { newId } from '@app/kernel';
import { runMigrations } from '@app/migrations';
import { profiled, testLogger } from '@app/testing';
import { migrations } from '../../migrations/index.ts';
import { maxLookedAt } from '../../word-search-store.ts';
import { aUser, type Identity, platform, startIdentity } from '../identity.ts';

let identity: Identity;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());
beforeEach(async () => {
  for (const name of ['users', 'companies']) await collection(name).deleteMany({});
});

type Item = { id: string; name?: string; email?: string };
const collection = (name: string) =>
  identity.connection.collection<{ _id: string; words?: string[] | undefined; version?: number | undefined }>(name);
async function found(what: string, query: Record<string, string | number>): Promise<Item[]> {
  const text = new URLSearchParams(query as Record<string, string>);
  const { status, body } = await identity.call('GET', `/admin/${what}?${text}`, { as: platform });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body['items'] as unknown as Item[];
}
const namesOf = async (q: string) => (await found('companies', { q })).map(({ name }) => name);
const emailsOf = async (q: string, more = {}) => (await found('users', { q, ...more })).map(({ email }) => email);
async function add(what: 'companies' | 'users', body: object): Promise<string> {
  const answer = await identity.call('POST', `/admin/${what}`, { as: platform, body });
  if (answer.status !== 201) throw new Error(answer.text);
  return String(answer.body['id']);
}
const patch = (path: string, body: object) => identity.call('PATCH', path, { as: platform, body });
const [bistro, garage] = ['Bistro de l’Étage', 'Garage Étoile'];
async function population() {
  const one = await add('companies', { name: bistro, kind: 'client', siret: '732 829 320 00074' });
  const other = await add('companies', { name: garage, kind: 'contractor' });
  await add('users', { ...aUser(one), email: 'z.p@bistro.test', first_name: 'Zoé', last_name: 'Petit-Jean' });
  await add('users', { ...aUser(other), email: 'ada@garage.test', first_name: 'Ada', last_name: 'Petit' });
  return { one, other };
}

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
  await population();
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
  const { other } = await population();
  expect(await emailsOf(q)).toEqual(emails);
  expect(await emailsOf(q, { company_id: other })).toEqual(emails.filter((email) => email === 'ada@garage.test'));
});

test('what is renamed is found by its new name alone, and of who was erased nothing is left', async () => {
  const { one } = await population();
  await patch(`/admin/companies/${one}`, { name: 'Brasserie', siret: null });
  expect([await namesOf('brass'), await namesOf('bistro'), await namesOf('732829320')]).toEqual([
    ['Brasserie'],
    [],
    [],
  ]);
  const [user] = await found('users', { q: 'zoe' });
  await patch(`/admin/users/${user?.id}`, { first_name: 'Nadia' });
  expect([await emailsOf('nadia'), await emailsOf('zoe petit-jean')]).toEqual([['z.p@bistro.test'], []]);
  await identity.call('POST', `/admin/users/${user?.id}/erase`, { as: platform });
  expect([await emailsOf('nadia'), await emailsOf('zoe')]).toEqual([[], []]);
});

test('pages of a search follow each other in the order of ids', async () => {
  const company = await add('companies', { name: 'Acme', kind: 'client' });
  const ids: string[] = [];
  for (const n of [3, 1, 2, 5, 4]) ids.push(await add('users', { ...aUser(company), last_name: `Martin${n}` }));
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await identity.call('GET', `/admin/users?q=martin&limit=2${cursor}`, { as: platform });
    seen.push(...(body['items'] as unknown as Item[]).map(({ id }) => id));
    if (body['nextCursor'] === null) break;
    cursor = `&cursor=${body['nextCursor']}`;
  }
  expect(seen).toEqual(ids.sort());
});

test('a search reads as much however many there are, by an index, and those of one company are all found', async () => {
  const company = newId();
  const many = Array.from({ length: 4 * maxLookedAt }, (_, n) => ({
    ...{ _id: newId(), company_id: n % 100 === 0 ? company : newId(), email: `m${n}@many.test`, first_name: 'Ada' },
    ...{ last_name: 'Martin', permissions: [], created_at: new Date(), words: ['ADA', 'MARTIN', `M${n}MANYTEST`] },
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

test('those of the release before are found once the migrations have run', async () => {
  await population();
  for (const name of ['users', 'companies'])
    await collection(name).updateMany({}, { $unset: { words: 1, version: 1 } });
  await collection('companies').updateOne({ name: garage } as object, { $set: { words: ['FORMER'] } });
  expect([await namesOf('étage'), await emailsOf('petit')]).toEqual([[], []]);
  const { connection } = identity;
  const run = () => runMigrations({ connection, migrations, logger: testLogger() });
  expect(await run()).toEqual(migrations.map(({ id }) => id));
  expect([await namesOf('ét'), await namesOf('former')]).toEqual([[bistro, garage], []]);
  expect(await emailsOf('petit')).toEqual(['z.p@bistro.test', 'ada@garage.test']);
  expect(await run()).toEqual([]);
});

test('what replicas of the release before wrote while the words came is found after the release that follows', async () => {
  const { connection } = identity;
  const run = () => runMigrations({ connection, migrations, logger: testLogger() });
  await run();
  const { one } = await population();
  // The release before created these users, and renamed this company, without their words.
  await collection('users').updateMany({}, { $unset: { words: 1 } });
  await collection('companies').updateOne({ _id: one }, { $set: { name: 'Brasserie' } as object });
  await connection.collection('migrations').deleteOne({ _id: '0003-words-again' as never });
  expect(await run()).toEqual(['0003-words-again']);
  expect([await namesOf('brasserie'), await namesOf('bistro')]).toEqual([['Brasserie'], []]);
  expect(await emailsOf('petit')).toEqual(['z.p@bistro.test', 'ada@garage.test']);
});

test.each([['companies'], ['users']])('a search of %s for nothing, or for a whole book, is refused', async (what) => {
  for (const q of ['', 'x'.repeat(201)]) {
    const answer = await identity.call('GET', `/admin/${what}?q=${q}`, { as: platform });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ path: 'q' }] } });
  }
});
