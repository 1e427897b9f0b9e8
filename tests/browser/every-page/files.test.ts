import { ok } from '../../e2e/platform.ts';
import { csvOf, expect, newPage, open } from '../browser.ts';
import { useWorld, type World } from '../world.ts';

/** Files that pages make of their lists say what the lists say. */
let world: World;
useWorld((one) => {
  world = one;
});

test('connections, deadlines, working hours and costs are files', async () => {
  const { client } = world;
  const place = world.place.split('/').at(-1);
  await ok(client.api(`PATCH ${world.ticket}`, { location_ids: [place] }));
  const hours = [{ time_zone: 'Europe/Paris', openings: [{ day: 1, from: '08:00', to: '18:00' }] }];
  const policies = [{ priority: 'high', response: { amount: 4, unit: 'hours' }, finish: { amount: 5, unit: 'days' } }];
  await ok(client.ts('PUT /clock-settings', { policies, hours }));
  const page = await newPage(client);
  await open(page, '/connections');
  // Its name comes later than its code.
  await expect(page.getByRole('row', { name: /^Sandbox/ })).toBeVisible();
  expect(await csvOf(page)).toEqual([
    ['Provider', 'Status', 'Last checked (UTC)', 'Given up'],
    ['Sandbox', 'Healthy', expect.stringMatching(/^20\d\d-\d\d-\d\d \d\d:\d\d$/), '0'],
  ]);
  await open(page, '/settings/deadlines');
  expect(await csvOf(page.getByRole('region', { name: 'Deadlines' }))).toEqual([
    ['Priority', 'Applies to', 'Response', 'Arrival', 'Finish', 'Warning'],
    ['High', 'All', expect.stringMatching(/^4 working hours/), '', expect.stringMatching(/^5 days/), 'at 75%'],
  ]);
  expect(await csvOf(page.getByRole('region', { name: 'Working hours' }))).toEqual([
    ['Place', 'Working hours', 'Time zone'],
    ['All', 'Mon 08:00-18:00', 'Europe/Paris'],
  ]);
  await open(page, world.place);
  expect(await csvOf(page)).toEqual([
    ['Costs', 'EUR, HT'],
    ['Validated quotes', '0'],
    ['Purchase orders', '950'],
    ['Invoices', '0'],
  ]);
});
