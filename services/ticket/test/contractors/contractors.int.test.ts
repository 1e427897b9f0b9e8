import { contractorLinked, type DomainEvent } from '@app/contracts';
import { newId } from '@app/kernel';
import { aCaller, eventually, recordEvents, rowsOfCsv, rowsOfXlsx } from '@app/testing';
import { aCompany, idPages, outcome, plansOf, usePlatform } from '../platform.ts';

const app = usePlatform({ quiet: true });
let linked: DomainEvent[];
beforeAll(async () => {
  linked = await recordEvents(app.broker, [contractorLinked]);
});

const caller = aCaller();
const stored = () => app.connection.collection<{ _id: string }>('contractors');

const create = (body: object, by = caller) => app.call(by, 'POST /contractors', { name: 'Durand', ...body });
async function contractor(body: object = {}, by = caller) {
  const { status, data } = await create(body, by);
  expect([status, data]).toEqual([201, expect.anything()]);
  return data as { _id: string; fields: object[] };
}
const patch = (id: string, body: object, by = caller) => app.call(by, `PATCH /contractors/${id}`, body);
const read = async (id: string) => (await app.call(caller, `GET /contractors/${id}`)).data;

async function field(target: string | null = null): Promise<{ _id: string; name: object }> {
  const body = { name: { fr: 'Numéro', en: 'Number' }, target };
  return (await app.call(caller, 'POST /custom-fields', body)).data.custom_field;
}
/** The answer of a company that was named. */
const answers = (method: 'PUT' | 'DELETE', companyId: string, contractorId: string) =>
  app.call(aCaller({ companyKind: 'contractor', companyId }), `${method} /clients/requests/${contractorId}`);
const accepts = (companyId: string, contractorId: string) => answers('PUT', companyId, contractorId);

function knownCompany(given: Parameters<typeof aCompany>[0] = {}) {
  const company = aCompany(given);
  app.identity.companies.set(company.id, company);
  return company;
}

describe('an entry of the directory', () => {
  test('keeps all that is set, custom fields under their names; a change writes what it names', async () => {
    const { _id: field_id, name } = await field();
    const body = { type: 'internal', siret: '732 829 320 00074', email: 'a@b.fr', phone: '+33 1' };
    const created = await contractor({ ...body, fields: [{ field_id, value: 'SUP-1' }] });
    const numbers = { siret: '73282932000074', siren: '732829320' };
    expect(created).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Durand',
      company_id: null,
      requested_company_id: null,
      ...body,
      ...numbers,
      fields: [{ field_id, name, value: 'SUP-1' }],
    });
    expect(await read(created._id)).toEqual(created);
    const changed = await patch(created._id, { name: 'Other', type: 'external', phone: null });
    expect([changed.status, changed.data]).toEqual([200, { ...created, name: 'Other', type: 'external', phone: null }]);
    expect(await read(created._id)).toEqual(changed.data);
  });

  test('two changes at once do not lose each other', async () => {
    const fields = await Promise.all(Array.from({ length: 8 }, () => field()));
    const { _id } = await contractor();
    const answers = await Promise.all(
      fields.map(({ _id: field_id }, n) => patch(_id, { fields: [{ field_id, value: String(n) }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const values = (await read(_id)).fields.map(({ value }: { value: string }) => value);
    expect(values.sort()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  });

  test('of another client does not exist', async () => {
    const { _id } = await contractor();
    const other = aCaller();
    expect((await app.call(other, `GET /contractors/${_id}`)).status).toBe(404);
    expect(outcome(await patch(_id, { nonsense: true }, other))).toEqual([404, 'contractor_not_found']);
    expect((await app.call(other, 'GET /contractors')).data).toEqual({ contractors: [], cursor: null });
  });

  test('is read, and not changed, by who has accounting alone', async () => {
    await contractor();
    const accountant = { ...caller, permissions: ['accounting' as const] };
    for (const [line, status] of [
      ['GET /contractors', 200],
      ['GET /contractors/export', 200],
      ['POST /contractors', 403],
    ] as const)
      expect([line, (await app.call(accountant, line)).status]).toEqual([line, status]);
    expect((await app.call(accountant, 'GET /contractors')).data.contractors.length).toBeGreaterThan(0);
  });

  test('is not for contractors: they have no directory', async () => {
    const one = `/contractors/${newId()}`;
    for (const line of ['GET /contractors', 'POST /contractors', `GET ${one}`, `PATCH ${one}`]) {
      const answer = await app.call(aCaller({ companyKind: 'contractor' }), line);
      expect([line, outcome(answer)]).toEqual([line, [403, 'clients_only']]);
    }
  });
});

describe('its company', () => {
  test('that is not projected yet is read from identity; its SIRET is copied', async () => {
    const numbers = { siret: '73282932000074', siren: '732829320' };
    const { id: company_id } = knownCompany(numbers);
    const made = await contractor({ company_id });
    expect(made).toMatchObject({ company_id: null, requested_company_id: company_id, ...numbers });
    expect(await app.contractors.forCompany(company_id, caller.companyId)).toBeNull();
    expect((await accepts(company_id, made._id)).status).toBe(204);
    expect((await app.contractors.forCompany(company_id, caller.companyId))?.name).toBe('Durand');
    expect(await app.contractors.forCompany(company_id, newId())).toBeNull();
  });

  test.each([
    ['unknown', () => newId()],
    ['a client', () => knownCompany({ kind: 'client' }).id],
  ])('that is %s is refused', async (_name, companyId) => {
    const { _id } = await contractor();
    for (const answer of [await create({ company_id: companyId() }), await patch(_id, { company_id: companyId() })]) {
      expect(outcome(answer)).toEqual([422, ['company_id']]);
    }
  });

  test('is set once, and published exactly once', async () => {
    const [company, other] = [knownCompany(), knownCompany()];
    const { _id } = await contractor();
    expect((await patch(_id, { company_id: company.id })).data.requested_company_id).toBe(company.id);
    for (let times = 0; times < 2; times += 1) expect((await accepts(company.id, _id)).status).toBe(204);
    const first = await patch(_id, { company_id: company.id });
    expect([first.status, first.data.company_id, first.data.requested_company_id]).toEqual([200, company.id, null]);
    for (const company_id of [other.id, null]) {
      expect(outcome(await patch(_id, { company_id, name: 'Never' }))).toEqual([409, 'contractor_company_set']);
    }
    expect(await read(_id)).toEqual(first.data);
    const data = { client_id: caller.companyId, contractor_id: _id, company_id: company.id };
    const published = () => linked.filter((event) => event.subject === _id).map((event) => event.data);
    await eventually(() => expect(published()).toEqual([data]));
    await eventually(async () => expect(await stored().findOne({ _id })).toMatchObject({ outbox: [] }));
    expect(published()).toEqual([data]);
  });

  test('is in a directory once, under concurrent requests too; another client may have it too', async () => {
    const company_id = knownCompany().id;
    const made = await Promise.all(Array.from({ length: 5 }, () => contractor({ company_id })));
    const said = await Promise.all(made.map((one) => accepts(company_id, one._id)));
    expect(said.map(({ status }) => status).sort()).toEqual([204, 409, 409, 409, 409]);
    const { _id } = await contractor();
    expect(outcome(await patch(_id, { company_id }))).toEqual([409, 'contractor_exists']);
    await contractor({ company_id }, aCaller());
  });

  test('is asked before anything of the client reaches it, and says no as it likes', async () => {
    const { id: company_id } = knownCompany();
    const { _id } = await contractor({ company_id });
    const itself = aCaller({ companyKind: 'contractor', companyId: company_id });
    const requests = async () => (await app.call(itself, 'GET /clients/requests')).data.requests;
    expect(await requests()).toMatchObject([{ contractor_id: _id, name: 'Durand', client: { _id: caller.companyId } }]);
    const { data: ticket } = await app.call(caller, 'POST /tickets', { title: 'Leak' });
    expect((await app.call(caller, `POST /tickets/${ticket.ticket_id}/assign`, { contractor_id: _id })).status).toBe(
      200,
    );
    const seen = async () => (await app.call(itself, `GET /tickets/${ticket.ticket_id}`)).status;
    expect(await seen()).toBe(404);
    expect((await app.call(itself, 'GET /clients')).data.clients).toEqual([]);

    expect(outcome(await accepts(newId(), _id))).toEqual([404, 'contractor_not_found']);
    expect((await answers('DELETE', company_id, _id)).status).toBe(204);
    expect([await requests(), await seen()]).toEqual([[], 404]);
    expect(outcome(await accepts(company_id, _id))).toEqual([404, 'contractor_not_found']);

    await patch(_id, { company_id });
    expect((await accepts(company_id, _id)).status).toBe(204);
    expect((await app.call(itself, 'GET /clients')).data.clients).toMatchObject([{ _id: caller.companyId }]);
  });

  test('while identity does not answer: 502, nothing made', async () => {
    const before = await stored().countDocuments();
    app.identity.broken = true;
    const answer = await create({ company_id: knownCompany().id });
    app.identity.broken = false;
    expect(outcome(answer)).toEqual([502, 'service_unavailable']);
    expect(await stored().countDocuments()).toBe(before);
  });
});

test('a custom field deleted since is still shown, can be taken away, and given to nobody else', async () => {
  const { _id: field_id, name } = await field('contractor');
  const { _id } = await contractor({ fields: [{ field_id, value: '1' }] });
  await app.call(caller, `DELETE /custom-fields/${field_id}`);
  expect((await read(_id)).fields).toEqual([{ field_id, name, value: '1' }]);
  expect((await create({ fields: [{ field_id, value: '1' }] })).status).toBe(422);
  expect((await patch(_id, { fields: [{ field_id, value: null }] })).data.fields).toEqual([]);
});

test('the list pages by its index, ascending, and tickets find entries by theirs', async () => {
  const owner = aCaller();
  const { _id: first } = await contractor({}, owner);
  const copied = await stored().findOne({ _id: first });
  const copies = Array.from({ length: 59 }, () => ({ ...copied, _id: newId() }));
  await stored().insertMany(copies);
  const ids = [first, ...copies.map(({ _id }) => _id)].sort();
  let pages: string[][] = [];
  const plans = await plansOf(app.connection, async () => {
    pages = await idPages((query) => app.call(owner, `GET /contractors?${query}`), 'contractors');
  });
  expect(pages).toEqual([ids.slice(0, 50), ids.slice(50)]);
  expect(plans.map(({ planSummary }) => planSummary)).toEqual(Array(2).fill('IXSCAN { client_id: 1, _id: 1 }'));
  expect(plans.every((plan) => !plan.hasSortStage && Number(plan.docsExamined) <= Number(plan.nreturned) + 1)).toBe(
    true,
  );

  const lookups = await plansOf(app.connection, async () => {
    await app.contractors.forCompany(newId(), owner.companyId);
    expect([...(await app.contractors.byIds(owner.companyId, ids.slice(0, 3))).keys()].sort()).toEqual(ids.slice(0, 3));
    expect((await app.contractors.byIds(newId(), ids)).size).toBe(0);
  });
  expect(lookups).toHaveLength(3);
  expect(lookups[0]?.planSummary).toBe('IXSCAN { client_id: 1, company_id: 1 }');
  expect(lookups.every((plan) => plan.planSummary?.startsWith('IXSCAN') && !plan.hasSortStage)).toBe(true);
});

describe('the directory as a list', () => {
  const owner = aCaller();
  const company = aCompany();
  beforeAll(async () => {
    app.identity.companies.set(company.id, company);
    await contractor({ name: '=Zinc & fils', phone: '0102030405', email: 'zinc@example.org' }, owner);
    await contractor({ name: 'École du bois', type: 'internal' }, owner);
    await contractor({ name: 'Ascenseurs', siret: '73282932000074' }, owner);
    await contractor({ name: 'eau vive', company_id: company.id }, owner);
    await contractor({ name: 'Zinc' }, aCaller());
  });
  const names = async (query: string) =>
    (await app.call(owner, `GET /contractors?${query}`)).data.contractors.map(({ name }: { name: string }) => name);

  test.each([
    ['', ['=Zinc & fils', 'École du bois', 'Ascenseurs', 'eau vive']],
    ['order=desc', ['eau vive', 'Ascenseurs', 'École du bois', '=Zinc & fils']],
    ['q=zinc', ['=Zinc & fils']],
    ['q=ecole%20bois', ['École du bois']],
    ['q=732829320', ['Ascenseurs']],
    ['q=0102030405', ['=Zinc & fils']],
    ['q=-', []],
    ['type=internal', ['École du bois']],
    ['type=internal,external&q=eau', ['eau vive']],
    ['sort=name&order=desc&type=external', ['eau vive', 'Ascenseurs', '=Zinc & fils']],
    ['sort=siret&order=desc', ['Ascenseurs', 'eau vive', 'École du bois', '=Zinc & fils']],
    ['sort=type', ['=Zinc & fils', 'Ascenseurs', 'eau vive', 'École du bois']],
    ['sort=email&order=desc&q=zinc', ['=Zinc & fils']],
  ])('%s finds its entries in their order, page by page', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data } = await app.call(owner, `GET /contractors?limit=1&${query}${cursor && `&cursor=${cursor}`}`);
      found.push(...data.contractors.map(({ name }: { name: string }) => name));
      cursor = data.cursor;
    }
    expect(found).toEqual(expected);
  });

  test('names are sorted without case and accents, as they are now', async () => {
    const mine = aCaller();
    const [first] = await Promise.all(['x', 'C', 'É', 'f'].map((name) => contractor({ name }, mine)));
    await patch(first?._id ?? '', { name: 'b' }, mine);
    const { contractors } = (await app.call(mine, 'GET /contractors?sort=name')).data;
    expect(contractors.map(({ name }: { name: string }) => name)).toEqual(['b', 'C', 'É', 'f']);
    expect(contractors[0]).not.toHaveProperty('name_order');
  });

  test('an entry that was changed is found by what it is now', async () => {
    const mine = aCaller();
    const { _id } = await contractor({ name: 'Avant' }, mine);
    await patch(_id, { name: 'Après' }, mine);
    const found = async (query: string) => (await app.call(mine, `GET /contractors?${query}`)).data.contractors.length;
    expect([await found('q=avant'), await found('q=apres')]).toEqual([0, 1]);
  });

  test.each([
    ['csv', async (bytes: Buffer) => rowsOfCsv(bytes, ';')],
    ['xlsx', rowsOfXlsx],
  ])('a %s holds the entries of the filter in their order', async (format, rowsOf) => {
    const path = `/api/v3.0/contractors/export?order=desc&type=external&format=${format}&language=fr`;
    const { data } = await app.as(owner).download(path);
    const [titles = [], ...rows] = await rowsOf(data);
    expect(titles).toEqual(['Nom', 'Type', 'SIRET', 'SIREN', 'E-mail', 'Téléphone', 'Compte', 'Identifiant']);
    expect(rows.map(([name]) => name)).toEqual([
      'eau vive',
      'Ascenseurs',
      format === 'csv' ? "'=Zinc & fils" : '=Zinc & fils',
    ]);
    expect(rows[1]?.slice(1, 3)).toEqual(['Externe', '73282932000074']);
  });

  test('what is no filter, order or cursor of it is refused', async () => {
    for (const query of ['limit=0', 'limit=201', 'type=both', 'sort=siren', 'order=up', 'cursor=zz'])
      expect([query, (await app.call(owner, `GET /contractors?${query}`)).status]).toEqual([query, 422]);
  });
});

describe('bad input', () => {
  const nobody = newId();
  const value = (given: unknown) => [{ field_id: nobody, value: given }];
  test.each<[string, object, string[]]>([
    ['an unknown type', { type: 'both' }, ['type']],
    ['a SIRET that is none', { siret: '73282932000075' }, ['siret']],
    ['a SIRET that is a number', { siret: 73282932000074 }, ['siret']],
    ['no e-mail address', { email: 'nobody' }, ['email']],
    ['a malformed company', { company_id: 'abc' }, ['company_id']],
    ['an unknown custom field', { fields: value('x') }, ['fields.0.field_id']],
    ['a value that is a number', { fields: value(1) }, ['fields.0.value']],
    ['a value too long', { fields: value('x'.repeat(10_001)) }, ['fields.0.value']],
    ['a field twice', { fields: [...value(''), ...value('')] }, ['fields.1']],
    ['several faults', { type: 1, siret: 'x', email: 2, name: 1 }, ['name', 'type', 'siret', 'email']],
  ])('%s is refused and makes nothing', async (_name, body, expected) => {
    const before = await stored().countDocuments();
    expect(outcome(await create(body))).toEqual([422, expected]);
    expect(await stored().countDocuments()).toBe(before);
  });

  test("a change of nothing, of ids, with a field for tickets or another client's is refused", async () => {
    const { _id } = await contractor();
    const forTickets = await field('ticket');
    for (const [body, expected] of [
      [{}, ''],
      [{ _id: newId() }, '_id'],
      [{ client_id: newId() }, 'client_id'],
      [{ fields: [{ field_id: forTickets._id, value: 'x' }] }, 'fields.0.field_id'],
    ] as const) {
      expect(outcome(await patch(_id, body))).toEqual([422, [expected]]);
    }
    const foreign = { fields: [{ field_id: (await field())._id, value: 'x' }] };
    expect(outcome(await create(foreign, aCaller()))).toEqual([422, ['fields.0.field_id']]);
  });

  test.each([
    ['users', ['cursor']],
    ['locations', 'invalid_cursor'],
  ])('the list of %s refuses what is no limit and no cursor', async (list, noCursor) => {
    for (const query of ['limit=0', 'limit=201', 'limit=1.5', 'limit=ten', 'limit=1&limit=2']) {
      const answer = await app.call(caller, `GET /${list}?${query}`);
      expect([query, outcome(answer)]).toEqual([query, [422, ['limit']]]);
    }
    expect(outcome(await app.call(caller, `GET /${list}?cursor=zz`))).toEqual([422, noCursor]);
  });
});

test('a contractor lists the clients that have it in their directory, by an index, and creates tickets for them', async () => {
  const company = aCompany();
  const own = aCaller({ companyId: company.id, companyKind: 'contractor' });
  app.identity.companies.set(company.id, company);
  const clients = Array.from({ length: 3 }, () => app.as().caller);
  for (const client of clients) {
    const { _id } = await contractor({ company_id: company.id }, client);
    await accepts(company.id, _id);
    await contractor({ name: 'Someone else' }, client);
  }
  await contractor({ name: 'Elsewhere' }, aCaller());
  const expected = clients
    .map(({ companyId, companyName }) => ({ _id: companyId, name: companyName }))
    .sort((one, other) => (one._id < other._id ? -1 : 1));
  const first = (await app.call(own, 'GET /clients?limit=2')).data;
  let second: { clients: object[]; cursor: string | null } | undefined;
  const plans = await plansOf(app.connection, async () => {
    second = (await app.call(own, `GET /clients?limit=2&cursor=${first.cursor}`)).data;
  });
  expect([...first.clients, ...(second?.clients ?? [])]).toEqual(expected);
  expect(second?.cursor).toBeNull();
  const [plan] = plans.filter(({ ns }) => ns.endsWith('.contractors'));
  expect(plan).toMatchObject({ planSummary: 'IXSCAN { company_id: 1, client_id: 1 }', docsExamined: 0 });
  expect((await app.call(own, 'POST /tickets', { title: 'x', client_id: expected[0]?._id })).status).toBe(201);
  expect((await app.call(aCaller(), 'GET /clients')).data.code).toBe('contractors_only');
  const stranger = aCaller({ companyKind: 'contractor' });
  expect((await app.call(stranger, 'GET /clients')).data).toEqual({ clients: [], cursor: null });
});
