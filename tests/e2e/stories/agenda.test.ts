import { newCompany, newContractorOf, newTicket, newUser, ok, stack } from '../platform.ts';

test('a contractor plans a visit; both read it in their agendas, and a calendar program by an address', async () => {
  const client = await newCompany('client');
  const contractor = await newContractorOf(client);
  const ticket = await newTicket(client, { title: 'Lift, hall B' });
  await ok(client.api(`POST ${ticket}/assign`, { contractor_id: contractor.id }));
  const date = { start: '2032-03-24T08:00:00.000Z', end: '2032-03-24T09:00:00.000Z' };
  await ok(contractor.api(`POST ${ticket}/dates`, { ...date, type: 'planned', category: 'visit' }));
  for (const member of [client, contractor]) {
    const { entries } = (await ok(member.ts('GET /agenda?from=2032-03-22&to=2032-03-29'))).data;
    expect(entries).toMatchObject([{ ...date, category: 'visit', state: 'planned', movable: true }]);
  }
  const colleague = await newUser(client.companyId, ['tickets']);
  const { url } = (await ok(colleague.ts('PUT /auth/agenda-feed', {}))).data;
  expect((await ok(colleague.ts('GET /auth/agenda-feed'))).data).toEqual({ created_at: expect.any(String) });
  const path = url.slice(stack().tsApi.length);
  const read = await colleague.ts(`GET ${path}?language=fr`);
  expect([read.status, read.headers['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
  expect(read.data).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect((await colleague.ts('DELETE /auth/agenda-feed')).status).toBe(204);
  expect((await ok(colleague.ts('GET /auth/agenda-feed'))).data).toEqual({ created_at: null });
});
