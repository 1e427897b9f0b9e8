import { addDemoData, fillYear, planYear, planYearInvoices } from '@app/demo';
import { eventually } from '@app/testing';
import { startPlatform, type TestPlatform } from '../../setup/platform.ts';
import { caller, stack } from '../platform.ts';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform('year');
  process.env['STACK_DIR'] = platform.dir;
});
afterAll(() => platform.stop());

const dayMs = 86_400_000;
const password = 'demo-password-2026';
type Read = { _id: string; created_at: string; updated_at: string; status: string; fields: { value: string }[] };

test('a year of work is played through the APIs and has the times of the year, in every service', async () => {
  const { ticketApi, tsApi, adminToken, providerSandbox } = stack();
  const startedAt = Date.now();
  const said: string[] = [];
  const given = { ticketApi, tsApi, adminToken, say: (text: string) => void said.push(text) };
  await addDemoData({ ...given, env: {} });
  const mongodb = process.env['MONGODB_URL'] ?? '';
  const fill = () =>
    fillYear({
      ...given,
      providerSandbox,
      receivers: { url: '' },
      mongodb,
      namespace: platform.namespace,
      size: 'small',
    });
  expect({ filled: await fill(), said }).toEqual({ filled: true, said: Array(3).fill(expect.anything()) });

  const today = new Date(Math.floor(startedAt / dayMs) * dayMs);
  const planned = planYear(today, 'small');
  const logIn = async (email: string) => (await caller(tsApi)('POST /auth/login', { email, password })).data.token;
  const admin = caller(`${ticketApi}/api/v3.0`, await logIn('admin@grand-bazar.example'));
  const listed: Read[] = (await admin('GET /tickets?limit=200')).data.tickets;
  const ofYear = listed.filter(({ fields }) => fields.some(({ value }) => value.startsWith('GB-25-')));
  expect(ofYear).toHaveLength(planned.length);
  for (const { plan, at, days } of planned) {
    const ticket = ofYear.find(({ fields }) => fields.some(({ value }) => value === plan.reference)) as Read;
    const { items } = (await admin(`GET /tickets/${ticket._id}/history?limit=200`)).data;
    const times: number[] = items
      .map((item: { at: string }) => Date.parse(item.at))
      .sort((a: number, b: number) => a - b);
    const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
    // A life may be a day ahead of another one.
    expect(Math.abs(Date.parse(ticket.created_at) - at.getTime())).toBeLessThan(2 * dayMs);
    expect(first).toBeGreaterThanOrEqual(Date.parse(ticket.created_at) - dayMs);
    expect(last - first).toBeLessThan((16 * days + 5) * dayMs);
    expect(last).toBeLessThan(startedAt);
  }

  const accountant = caller(tsApi, await logIn('compta@grand-bazar.example'));
  const invoices = planYearInvoices(planned);
  await eventually(async () => {
    const { items } = (await accountant('GET /invoices/search?limit=200')).data;
    expect(items).toHaveLength(invoices.length);
    const done = items.filter(({ state }: { state: string }) => state === 'done');
    expect(done.length).toBeGreaterThan(0.9 * invoices.length);
    for (const { createdAt } of items) expect(Date.parse(createdAt)).toBeLessThan(startedAt);
  });

  expect(await fill()).toBe(true);
  expect(said).toHaveLength(3);
}, 600_000);
