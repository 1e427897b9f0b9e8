import fc from 'fast-check';
import { flowLister } from '../../libs/providers/afnor/changes.ts';
import type { ProviderHttp } from '../../libs/providers/http/http-client.ts';
import { listedInvoices, pollSince } from '../../services/connection/polls/poll-window.ts';
import { checkAsyncProperty } from './check-property.ts';

type Paging = {
  order: 'ascending' | 'descending' | 'shuffled';
  cap: 1 | 25 | 100;
  /** A cursor that counts flows, or one that names a flow of the list that the first page made. */
  cursor: 'count' | 'bookmark';
};
type Flow = { flowId: string; updatedAt: number };

const start = Date.parse('2026-11-20T08:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

/** A platform whose clock a test moves on. */
class Platform {
  now: number;
  readonly flows = new Map<string, Flow>();
  readonly #paging: Paging;
  #list: Flow[] = [];

  constructor(paging: Paging, now = start) {
    this.#paging = paging;
    this.now = now;
  }

  add(count: number): void {
    for (let n = 0; n < count; n += 1) {
      const flowId = `flow-${this.flows.size}`;
      this.flows.set(flowId, { flowId, updatedAt: this.now });
    }
  }

  touch(index: number): void {
    const flow = [...this.flows.values()][index % Math.max(this.flows.size, 1)];
    if (flow) flow.updatedAt = this.now;
  }

  http(): ProviderHttp {
    const dated = async ({ body }: { body?: object }) => ({
      answer: this.#search(body),
      answeredAt: new Date(this.now),
    });
    return { dated } as unknown as ProviderHttp;
  }

  #search(body: object | undefined) {
    const { limit, cursor, where } = body as { limit: number; cursor?: string; where: { updatedAfter: string } };
    expect(limit).toBeLessThanOrEqual(100);
    const isNew = cursor === undefined;
    if (isNew || this.#paging.cursor === 'count') this.#list = this.#ordered(Date.parse(where.updatedAfter));
    const from = Number(cursor ?? 0);
    const end = from + Math.min(limit, this.#paging.cap);
    const results = this.#list.slice(from, end).map(({ flowId, updatedAt }) => ({
      flowId,
      flowType: 'SupplierInvoice',
      flowDirection: 'In',
      updatedAt: iso(updatedAt),
    }));
    return { results, ...(end < this.#list.length ? { nextCursor: String(end) } : {}) };
  }

  #ordered(after: number): Flow[] {
    const found = [...this.flows.values()].filter(({ updatedAt }) => updatedAt > after);
    if (this.#paging.order === 'shuffled') return found.sort((a, b) => hash(a.flowId) - hash(b.flowId));
    const sign = this.#paging.order === 'ascending' ? 1 : -1;
    return found.sort((a, b) => sign * (a.updatedAt - b.updatedAt) || a.flowId.localeCompare(b.flowId));
  }
}

const hash = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9_973, 7);

/** What the poller and its jobs keep. */
class Poller {
  readonly seen = new Map<string, number | null>();
  readonly fetches: string[] = [];
  #lastPolledAt: Date | null = null;
  #seenUntil: Date | null = null;

  /** @param crashAfter pages after which the process ends */
  async poll(platform: Platform, crashAfter: number, meanwhile: () => void): Promise<void> {
    const state = { createdAt: new Date(start), lastPolledAt: this.#lastPolledAt, seenUntil: this.#seenUntil };
    const startedAt = new Date(platform.now);
    const since = pollSince(state, startedAt);
    const listChanged = flowLister(platform.http());
    let cursor: string | null = null;
    for (let pages = 0; pages < crashAfter; pages += 1) {
      const page = await listChanged(since, cursor);
      for (const { externalId, changedAt } of listedInvoices(page)) this.#request(externalId, changedAt);
      this.#seenUntil = page.watermark ?? this.#seenUntil;
      cursor = page.cursor;
      if (cursor === null) {
        this.#lastPolledAt = startedAt;
        return;
      }
      meanwhile();
    }
  }

  #request(id: string, changedAt: Date | null): void {
    if (changedAt !== null && this.seen.get(id) === changedAt.getTime()) return;
    this.seen.set(id, changedAt?.getTime() ?? null);
    this.fetches.push(`${id} ${changedAt?.getTime()}`);
  }
}

const paging: fc.Arbitrary<Paging> = fc.record({
  order: fc.constantFrom('ascending', 'descending', 'shuffled'),
  cap: fc.constantFrom(25, 100),
  cursor: fc.constantFrom('count', 'bookmark'),
});
const step = fc.record({
  added: fc.constantFrom(0, 1, 30, 99, 100, 101, 250),
  seconds: fc.constantFrom(0, 1, 30, 400),
  crashAfter: fc.constantFrom(0, 1, 2, 1_000),
  touched: fc.array(fc.nat(500), { maxLength: 3 }),
});

/** How long after a whole second the platform's clock starts: with milliseconds, each time names one change. */
const offsetMs = fc.constantFrom(0, 1);

test('a platform may order, cap and page as it likes, change flows between two pages, and the process may end: no flow stays unlisted, and none is fetched twice without need', async () => {
  await checkAsyncProperty(
    fc.asyncProperty(paging, offsetMs, fc.array(step, { minLength: 1, maxLength: 5 }), async (given, ms, steps) => {
      const [platform, poller] = [new Platform(given, start + ms), new Poller()];
      for (const { added, seconds, crashAfter, touched } of steps) {
        platform.now += seconds * 1_000;
        platform.add(added);
        await poller.poll(platform, crashAfter, () => {
          platform.now += 1;
          for (const index of touched.splice(0)) platform.touch(index);
        });
      }
      // Two polls of a quiet platform, the second a minute later: then every time is settled.
      for (let quiet = 0; quiet < 2; quiet += 1) {
        platform.now += 61_000;
        await poller.poll(platform, 1_000, () => undefined);
      }
      const expected = [...platform.flows.values()].map(({ flowId, updatedAt }) => [flowId, updatedAt]);
      expect(Object.fromEntries(poller.seen)).toEqual(Object.fromEntries(expected));
      const before = poller.fetches.length;
      platform.now += 61_000;
      await poller.poll(platform, 1_000, () => undefined);
      expect(poller.fetches.slice(before)).toEqual([]);
      if (ms > 0) expect(new Set(poller.fetches).size).toBe(poller.fetches.length);
    }),
  );
});

test.each([25, 100] as const)('1,000 flows of one moment with pages of %i: each is fetched once', async (cap) => {
  const [platform, poller] = [new Platform({ order: 'shuffled', cap, cursor: 'bookmark' }), new Poller()];
  platform.add(1_000);
  platform.now += 61_000;
  for (const crashAfter of [2, 0, 1_000, 1_000]) await poller.poll(platform, crashAfter, () => undefined);
  expect(poller.fetches).toHaveLength(1_000);
  expect(new Set(poller.fetches.map((fetch) => fetch.split(' ')[0]))).toEqual(new Set(platform.flows.keys()));
});
