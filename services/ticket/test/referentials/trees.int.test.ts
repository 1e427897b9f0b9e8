import { newId } from '@app/kernel';
import { aCaller } from '@app/testing';
import { pick } from '../../referentials/referential-response.ts';
import { outcome, plansOf, usePlatform } from '../platform.ts';

const app = usePlatform({ quiet: true });
const caller = aCaller();

/** Its id. */
async function made(path: string, body: object = {}): Promise<string> {
  const { status, data } = await app.call(caller, `POST /${path}`, { name: 'x', ...body });
  expect([status, data]).toEqual([201, expect.anything()]);
  return (Object.values(data)[0] as { _id: string })._id;
}
const move = (id: string, parent_id: string) => app.call(caller, `PATCH /locations/${id}`, { parent_id });

describe('a tree of locations', () => {
  test('takes no circle, however long', async () => {
    const [a, b, c] = [await made('locations'), await made('locations'), await made('locations')];
    await move(b, a);
    await move(c, b);
    for (const below of [a, b, c]) {
      expect(outcome(await move(a, below))).toEqual([422, ['parent_id']]);
    }
    expect((await move(c, a)).status).toBe(200);
  });

  test('two moves at once that together would close a circle: one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const [a, b] = [await made('locations'), await made('locations')];
      const statuses = (await Promise.all([move(a, b), move(b, a)])).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 422]);
    }
  });

  test('is at most 20 levels deep', async () => {
    let parent_id = await made('locations');
    for (let level = 2; level <= 20; level++) parent_id = await made('locations', { parent_id });
    const refused = await app.call(caller, 'POST /locations', { name: 'x', parent_id });
    expect(outcome(refused)).toEqual([422, ['parent_id']]);
  });

  test('is at most 20 levels deep after a move too, with all that moves along', async () => {
    const branch = async (levels: number) => {
      const ids = [await made('locations')];
      while (ids.length < levels) ids.push(await made('locations', { parent_id: ids.at(-1) }));
      return ids as [string, ...string[]];
    };
    const [trunk, moved, sibling] = [await branch(18), (await branch(3))[0], await made('locations')];
    await move(sibling, moved);
    expect(outcome(await move(moved, trunk[17] as string))).toEqual([422, ['parent_id']]);
    let answer: { status: number } = { status: 0 };
    const plans = await plansOf(app.connection, async () => {
      answer = await move(moved, trunk[16] as string);
    });
    expect(answer.status).toBe(200);
    expect(plans.filter(({ planSummary }) => planSummary === 'COLLSCAN')).toEqual([]);
  });
});

describe('deleting', () => {
  test('a location with children, found by an index, is in_use, until they are deleted', async () => {
    const parent_id = await made('locations');
    const child = await made('locations', { parent_id });
    const plans = await plansOf(app.connection, async () => {
      expect(outcome(await app.call(caller, `DELETE /locations/${parent_id}`))).toEqual([409, 'in_use']);
    });
    expect(plans.map(({ planSummary }) => planSummary)).toContain('IXSCAN { client_id: 1, parent_id: 1 }');
    expect(plans.filter(({ planSummary }) => planSummary === 'COLLSCAN')).toEqual([]);
    expect((await app.call(caller, `GET /locations/${parent_id}`)).status).toBe(200);
    expect((await app.call(caller, `DELETE /locations/${child}`)).status).toBe(204);
    expect((await app.call(caller, `DELETE /locations/${parent_id}`)).status).toBe(204);
  });

  test('and adding a child at the same time never both succeed', async () => {
    for (let round = 0; round < 5; round++) {
      const parent_id = await made('locations');
      const [deletion, creation] = await Promise.all([
        app.call(caller, `DELETE /locations/${parent_id}`),
        app.call(caller, 'POST /locations', { name: 'x', parent_id }),
      ]);
      expect([
        [204, 422],
        [409, 201],
      ]).toContainEqual([deletion.status, creation.status]);
    }
  });

  test('keeps it for tickets that name it, and refuses it for new ones', async () => {
    const [id, other] = [await made('locations', { reference: 'R' }), await made('locations')];
    await app.call(caller, `DELETE /locations/${id}`);
    const { locations } = await app.referentials.resolve(caller.companyId, { location_ids: [other, id] });
    expect(pick(locations, [id, 'unknown', other])).toMatchObject([
      { _id: id, name: 'x', reference: 'R' },
      { _id: other },
    ]);
    expect(await app.referentials.faults(caller.companyId, { location_ids: [id] })).toHaveLength(1);
  });
});

describe('references of tickets', () => {
  test('is resolved for many at once, billing locations included', async () => {
    const head = await made('locations', { reference: 'HQ' });
    const shop = await made('locations', { location_facturation_id: head });
    const job = await made('jobs');
    const field = await made('custom-fields', { name: { fr: 'a', en: 'b' } });
    const ids = { location_ids: [shop, shop], job_ids: [job], field_ids: [field], equipment_ids: [newId()] };
    expect(await app.referentials.faults(caller.companyId, { ...ids, equipment_ids: [] })).toEqual([]);
    const found = await app.referentials.resolve(caller.companyId, ids);
    expect(found.locations.get(shop)?.location_facturation).toMatchObject({ id: head, reference: 'HQ' });
    expect(found.jobs.get(job)).toEqual({ _id: job, name: 'x' });
    expect(found.fields.get(field)?.name).toEqual({ fr: 'a', en: 'b' });
    expect(found.equipments.size).toBe(0);
  });

  test("another client's is neither accepted nor shown", async () => {
    const id = await made('locations');
    const other = newId();
    expect(await app.referentials.faults(other, { location_ids: [id] })).toEqual([
      { path: 'location_ids.0', message: expect.any(String) },
    ]);
    expect((await app.referentials.resolve(other, { location_ids: [id] })).locations.size).toBe(0);
    expect((await app.referentials.resolve([other, caller.companyId], { location_ids: [id] })).locations.size).toBe(1);
  });
});
