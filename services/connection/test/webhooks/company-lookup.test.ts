import { newId } from '@app/kernel';
import { createCompanyLookup } from '../../webhooks/company-lookup.ts';

/** A store of companies that counts queries. */
function companyStore() {
  const known = new Set<string>();
  const asked: string[] = [];
  const exists = async (id: string) => {
    asked.push(id);
    return known.has(id);
  };
  return {
    known,
    asked,
    clients: createCompanyLookup({ companies: { exists }, now: () => new Date(), delaysMs: [1, 1, 1] }),
  };
}

test('a company whose event arrives while it is waited for is known', async () => {
  const { known, clients } = companyStore();
  const id = newId();
  const answer = clients.exists(id);
  known.add(id);
  expect(await answer).toBe(true);
});

test('an old id is not waited for', async () => {
  const { asked, clients } = companyStore();
  expect(await clients.exists(newId(new Date(Date.now() - 120_000)))).toBe(false);
  expect(asked).toHaveLength(1);
});

test('an id that was waited for in vain is not waited for again, and known once its event has arrived', async () => {
  const { known, asked, clients } = companyStore();
  const id = newId();
  expect(await clients.exists(id)).toBe(false);
  const before = asked.length;
  expect(await clients.exists(id)).toBe(false);
  expect([before > 1, asked.length - before]).toEqual([true, 1]);
  known.add(id);
  expect(await clients.exists(id)).toBe(true);
});

test('only a few of many concurrent unknown ids are waited for', async () => {
  const { asked, clients } = companyStore();
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => clients.exists(newId())));
  expect(answers).not.toContain(true);
  expect(new Set(asked).size).toBe(1_000);
  expect(asked.length).toBe(1_000 + 100 * 3);
});
