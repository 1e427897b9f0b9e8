import { aCaller } from '@app/testing';
import { aCompany, type DirectoryApp, plansOf, startDirectoryApp } from '../companies/directory-app.ts';

let app: DirectoryApp;
const contractor = aCaller({ companyKind: 'contractor' });

beforeAll(async () => {
  app = await startDirectoryApp();
});
afterAll(() => app.stop());

test('a contractor lists the clients that have it in their directory, by an index, and creates tickets for them', async () => {
  const company = aCompany({ id: contractor.companyId });
  app.identity.companies.set(company.id, company);
  const clients = Array.from({ length: 3 }, () => aCaller());
  for (const client of clients) {
    const { companyId: id, companyName: name } = client;
    app.identity.companies.set(id, aCompany({ id, name, kind: 'client' }));
    await app.call(client, 'POST /contractors', { name: 'Us', company_id: company.id });
    await app.call(client, 'POST /contractors', { name: 'Someone else' });
  }
  await app.call(aCaller(), 'POST /contractors', { name: 'Elsewhere' });
  const expected = clients
    .map(({ companyId, companyName }) => ({ _id: companyId, name: companyName }))
    .sort((one, other) => (one._id < other._id ? -1 : 1));
  const first = (await app.call(contractor, 'GET /clients?limit=2')).body;
  let second: { clients: object[]; cursor: string | null } | undefined;
  const plans = await plansOf(app.connection, async () => {
    second = (await app.call(contractor, `GET /clients?limit=2&cursor=${first.cursor}`)).body;
  });
  expect([...first.clients, ...(second?.clients ?? [])]).toEqual(expected);
  expect(second?.cursor).toBeNull();
  const [plan] = plans.filter(({ ns }) => ns.endsWith('.contractors'));
  expect(plan).toMatchObject({ planSummary: 'IXSCAN { company_id: 1, client_id: 1 }', docsExamined: 0 });
  const ticket = { title: 'x', client_id: expected[0]?._id };
  expect((await app.call(contractor, 'POST /tickets', ticket)).status).toBe(201);
});

test('a client has no clients, and a contractor that nobody has in a directory sees none', async () => {
  expect((await app.call(aCaller(), 'GET /clients')).body.code).toBe('contractors_only');
  const stranger = aCaller({ companyKind: 'contractor' });
  expect((await app.call(stranger, 'GET /clients')).body).toEqual({ clients: [], cursor: null });
});
