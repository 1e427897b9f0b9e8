import type { Permission } from '@app/contracts';
import { newId } from '@app/kernel';
import { code, fieldsAtFault, type Login, useAdmin, useIdentity } from '../identity.ts';

type Saved = { id: string; name: string; query: string; shared: boolean; mine: boolean };

const identity = useIdentity();
const admin = useAdmin(identity);
const path = '/company/filters/tickets';
const mine = { name: 'Mine', query: 'status=opened' };

async function colleague(...permissions: Permission[]): Promise<Login & { id: string }> {
  const user = await identity.user(permissions, admin.companyId);
  return { id: user.id, ...(await identity.logIn(user.email)) };
}
const save = (login: Login, body: object, at = path) => identity.as(login, 'PUT', at, body);
const saved = async (login: Login, body: object) => {
  const answer = await save(login, body);
  expect(answer.status).toBe(200);
  return answer.body as unknown as Saved;
};
const list = async (login: Login, at = path) =>
  (await identity.as(login, 'GET', at)).body['items'] as unknown as Saved[];
const remove = (login: Login, { id }: { id: string }) => identity.as(login, 'DELETE', `${path}/${id}`);

test('a user saves, changes and removes filters, which nobody else sees', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const one = await saved(ada, mine);
  expect(one).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), ...mine, shared: false, mine: true });
  await saved(ada, { name: 'Another', query: 'q=leak' });
  expect((await list(ada)).map(({ name }) => name)).toEqual(['Another', 'Mine']);
  expect([await list(leo), await list(admin)]).toEqual([[], []]);
  expect(code(await remove(admin, one))).toEqual([404, 'saved_filter_not_found']);
  const changed = { name: 'Mine', query: 'status=opened&sort=priority' };
  expect(await saved(ada, changed)).toEqual({ ...one, ...changed });
  expect((await remove(ada, one)).status).toBe(204);
  expect((await list(ada)).map(({ name }) => name)).toEqual(['Another']);
});

test('what is shared is seen by the company, and changed by who saved it and by admins alone', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  const stranger = await identity.admin();
  const one = await saved(ada, { ...mine, shared: true });
  expect(await list(leo)).toEqual([{ ...one, mine: false }]);
  expect(await list(stranger)).toEqual([]);
  expect(code(await remove(leo, one))).toEqual([403, 'saved_filter_of_another']);
  expect(code(await remove(stranger, one))).toEqual([404, 'saved_filter_not_found']);
  // Of the same name, but Leo's.
  expect((await saved(leo, { ...mine, query: 'q=x' })).id).not.toBe(one.id);
  await saved(ada, { ...mine, shared: false });
  expect([(await list(leo)).map(({ query }) => query), (await list(ada)).length]).toEqual([['q=x'], 1]);
  await saved(ada, { ...mine, shared: true });
  expect((await remove(admin, one)).status).toBe(204);
  expect(await list(ada)).toEqual([]);
});

test('filters of a list are for who may see the list', async () => {
  const [accountant, nobody] = [await colleague('accounting'), await colleague()];
  await saved(admin, { ...mine, shared: true });
  expect((await save(accountant, mine)).status).toBe(403);
  expect((await identity.as(accountant, 'GET', path)).status).toBe(403);
  const invoices = '/company/filters/invoices';
  expect((await save(accountant, { name: 'Late', query: 'list=all' }, invoices)).status).toBe(200);
  expect(await list(accountant, invoices)).toMatchObject([{ name: 'Late' }]);
  expect(await list(admin, invoices)).toEqual([]);
  expect((await identity.as(nobody, 'GET', invoices)).status).toBe(403);
});

test('a user has twenty of a list and shares twenty, and a company shares a hundred', async () => {
  const [ada, leo] = [await colleague('tickets'), await colleague('tickets')];
  await Promise.all(Array.from({ length: 20 }, (_, n) => saved(ada, { ...mine, name: `${n}` })));
  expect(code(await save(ada, mine))).toEqual([422, 'saved_filter_limit']);
  expect((await save(ada, { ...mine, name: '7' })).status).toBe(200);
  expect((await save(leo, mine)).status).toBe(200);
  const filter = { company_id: admin.companyId, user_id: newId(), list: 'tickets', query: 'q=x', shared: true };
  const shared = Array.from({ length: 99 }, (_, n) => ({ _id: newId() as never, name: `${n}`, ...filter }));
  await identity.connection.collection('saved_filters').insertMany(shared);
  expect((await save(ada, { ...mine, name: '7', shared: true })).status).toBe(200);
  expect(code(await save(ada, { ...mine, name: '8', shared: true }))).toEqual([422, 'saved_filter_limit']);
  expect(code(await save(leo, { ...mine, shared: true }))).toEqual([422, 'saved_filter_limit']);
  await identity.connection.collection('saved_filters').deleteMany({ user_id: filter.user_id });
  for (let n = 0; n < 20; n++) await saved(leo, { ...mine, name: `${n}`, shared: true });
  expect(code(await save(leo, { ...mine, shared: true }))).toEqual([422, 'saved_filter_limit']);
  expect((await save(ada, { ...mine, name: '8', shared: true })).status).toBe(200);
});

test.each([
  [{ query: 'q=x' }, ['name']],
  [{ name: ' ', query: 'q=x' }, ['name']],
  [{ name: 'x'.repeat(61), query: 'q=x' }, ['name']],
  [{ name: 'x', query: 'x'.repeat(1_001) }, ['query']],
  [{ ...mine, shared: 'yes', user_id: newId() }, ['shared', 'user_id']],
])('%j is refused', async (body, expected) => {
  const answer = await save(admin, body);
  expect([answer.status, fieldsAtFault(answer)]).toEqual([422, expected]);
});

test('an erased person keeps none; what was shared stays the company’s', async () => {
  const ada = await colleague('tickets');
  await saved(ada, mine);
  const shared = await saved(ada, { name: 'Ours', query: 'q=x', shared: true });
  expect((await identity.as(admin, 'POST', `/company/users/${ada.id}/erase`)).status).toBeLessThan(300);
  expect(await identity.connection.collection('saved_filters').countDocuments({ user_id: ada.id })).toBe(1);
  expect(await list(admin)).toEqual([{ ...shared, mine: false }]);
});
