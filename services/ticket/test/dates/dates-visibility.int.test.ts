import { type Client, type Platform, startPlatform } from '../platform.ts';

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.stop());

test('a contractor reads its own dates and, while it is on the ticket, those of the client: none of a competitor', async () => {
  const client = platform.as();
  const [former, current] = [await platform.contractorOf(client), await platform.contractorOf(client)];
  const { ticket_id } = (await client.post('/api/v3.0/tickets', { title: 'Leak' })).data;
  const ticket = `/api/v3.0/tickets/${ticket_id}`;
  const plan = async (by: Client, day: number, category = 'intervention') => {
    const start = new Date(Date.UTC(2030, 0, day)).toISOString();
    const answer = await by.post(`${ticket}/dates`, { start, end: start, type: 'planned', category });
    expect([answer.status, Object.keys(answer.data.date)]).toEqual([201, expect.not.arrayContaining(['company_id'])]);
    return start;
  };
  const seenBy = async (reader: Client) => {
    const [dates, read] = [(await reader.get(`${ticket}/dates`)).data, (await reader.get(ticket)).data];
    const starts = dates.intervention_dates.map(({ start }: { start: string }) => start);
    expect(read.intervention_scheduled_at).toEqual(starts);
    return [dates.visit_dates.length, starts];
  };
  await client.post(`${ticket}/assign`, { contractor_id: former.id });
  const [own, asked] = [await plan(former, 1), await plan(client, 2)];
  expect(await seenBy(former)).toEqual([0, [own, asked]]);
  await client.put(`${ticket}/finish`);
  await client.post(`${ticket}/open`);
  await client.post(`${ticket}/assign`, { contractor_id: current.id });
  const [visit, mine] = [await plan(current, 3, 'visit'), await plan(current, 4)];
  expect(await seenBy(client)).toEqual([1, [own, asked, mine]]);
  expect(await seenBy(current)).toEqual([1, [asked, mine]]);
  expect(await seenBy(former)).toEqual([0, [own]]);
  expect(visit).not.toBe(mine);

  // Dates that were stored without `company_id` stay visible.
  const tickets = platform.connection.collection<{ _id: string }>('tickets');
  await tickets.updateOne({ _id: ticket_id }, { $unset: { 'dates.$[].company_id': '' } });
  expect(await seenBy(former)).toEqual([1, [own, asked, mine]]);
});
