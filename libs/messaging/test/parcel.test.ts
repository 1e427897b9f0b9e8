import { seal } from '../outbox.ts';
import { parcelOf, parcelsOf, unpacked } from '../parcel.ts';
import { otherHappened, things } from './rabbit.ts';

const carried = (content: Buffer) => unpacked(content) as { type: string; data: { n: number; text?: string } }[];
const numbersOf = (content: Buffer) => carried(content).map(({ data }) => data.n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('events that are published together go by their type, in their order, 32 at most', () => {
  const others = seal('test', [otherHappened({ n: 7 }, new Date())]);
  const [some, other] = [things(...upTo(70)), others];
  const parcels = parcelsOf([...some.slice(0, 1), ...other, ...some.slice(1)]);
  expect(parcels.map(({ type, content }) => [type, carried(content).length])).toEqual([
    ['thing.happened.v1', 32],
    ['thing.happened.v1', 32],
    ['thing.happened.v1', 6],
    ['other.happened.v1', 1],
  ]);
  expect(parcels.slice(0, 3).flatMap(({ content }) => numbersOf(content))).toEqual(upTo(70));
});

test('large events go with few others, or alone', () => {
  const large = things(...upTo(9)).map((event, n) => ({
    ...event,
    data: { ...event.data, text: 'x'.repeat(n === 4 ? 100_000 : 10_000) },
  }));
  const parcels = parcelsOf(large);
  expect(parcels.map(({ content }) => numbersOf(content))).toEqual([[0, 1, 2], [3], [4], [5, 6, 7], [8]]);
});

test.each([
  ['{', 'not JSON'],
  ['[]', 'no CloudEvents'],
])('%s carries nothing', (text, reason) => {
  expect(() => unpacked(Buffer.from(text))).toThrow(reason);
});

test.each([
  [{ id: 5, type: {} }, {}],
  [{ id: 'é'.repeat(128), type: 'x'.repeat(255) }, { type: 'x'.repeat(255) }],
  [null, {}],
])('what is no event names itself as far as it can: %j', (event, named) => {
  const { properties } = parcelOf(event);
  expect(properties).toEqual({ ...named, contentType: 'application/cloudevents+json', headers: {} });
});
