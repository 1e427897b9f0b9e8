import { rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { aUser, type Login, pagesOf, useAdmin, useIdentity } from '../identity.ts';

type Listed = { id: string; last_name: string; active: boolean };

const identity = useIdentity();
const admin = useAdmin(identity);
const list = '/company/users';
const get = (query: string, login: Login = admin) => identity.as(login, 'GET', `${list}${query}`);
const namesOf = async (query: string) =>
  ((await get(query)).body['items'] as unknown as Listed[]).map(({ last_name }) => last_name);

/** Two colleagues of the admin, and one of another company. */
beforeEach(async () => {
  const stranger = await identity.admin();
  for (const [companyId, last_name, permissions] of [
    [admin.companyId, '=Durand', ['tickets', 'accounting']],
    [admin.companyId, 'Élise', ['accounting']],
    [stranger.companyId, 'Durand', ['tickets']],
  ] as const) {
    const body = { ...aUser(companyId), last_name, permissions };
    expect((await identity.byPlatform('POST', '/admin/users', body)).status).toBe(201);
  }
  const [, , { id }] = (await get('')).body['items'] as unknown as [Listed, Listed, Listed];
  const left = await identity.as(admin, 'PATCH', `${list}/${id}`, { active: false });
  expect([left.status, left.body['active']]).toEqual([200, false]);
});

test('users are found by words, permission and state, page by page, and none of another company', async () => {
  expect(await namesOf('')).toEqual(['Martin', '=Durand', 'Élise']);
  expect(await namesOf('?order=desc')).toEqual(['Élise', '=Durand', 'Martin']);
  expect(await namesOf('?q=durand')).toEqual(['=Durand']);
  expect(await namesOf('?q=elis&permission=accounting')).toEqual(['Élise']);
  expect(await namesOf('?permission=tickets,admin')).toEqual(['Martin', '=Durand']);
  expect(await namesOf('?active=false')).toEqual(['Élise']);
  expect(await namesOf('?active=true&invited=false')).toEqual(['Martin', '=Durand']);
  expect(await namesOf('?invited=true')).toEqual([]);
  expect(await namesOf('?q=-')).toEqual([]);
  const pages = await pagesOf<Listed>((cursor) => get(`?limit=1&order=desc${cursor}`));
  expect(pages.map(([one]) => one?.last_name)).toEqual(['Élise', '=Durand', 'Martin']);
  for (const query of ['?permission=all', '?active=1', '?sort=email', '?cursor=x', '?company_id=x'])
    expect([query, (await get(query)).status]).toEqual([query, 422]);
});

test.each([
  ['csv', async (bytes: Buffer) => rowsOfCsv(bytes, ';')],
  ['xlsx', rowsOfXlsx],
])('a %s holds those of the list, without secrets', async (format, rowsOf) => {
  const bytes = await identity.download(admin, `${list}/export?permission=accounting&language=fr&format=${format}`);
  const [titles = [], ...rows] = await rowsOf(bytes);
  expect(titles.slice(0, 6)).toEqual(['Nom', 'Prénom', 'E-mail', 'Téléphone', 'Permissions', 'Actif']);
  const [first, second] = rows;
  expect([first?.[0], first?.slice(4, 7), second?.[0], second?.[5]]).toEqual([
    format === 'csv' ? "'=Durand" : '=Durand',
    ['Tickets, Comptabilité', 'oui', 'non'],
    'Élise',
    'non',
  ]);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toMatch(/scrypt|password/);
});

test('the list and its files are for admins', async () => {
  const clerk = await identity.user(['tickets', 'accounting', 'api_webhooks'], admin.companyId);
  const login = await identity.logIn(clerk.email);
  for (const path of ['', '/export']) expect((await get(path, login)).status).toBe(403);
});
