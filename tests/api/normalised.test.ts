import { normalised } from '../e2e/examples/normalised.ts';

const fixed = new Set(['5ebb096fe1bde10a7ee21348']);
const origins = { 'http://127.0.0.1:4000': 'https://api.example.com' };
const of = (answer: unknown) => normalised(answer, { fixed, origins });

test('ids are numbered, the same by the same, and what the document fixes stays', () => {
  const [a, b] = ['a1'.repeat(12), 'b2'.repeat(12)];
  expect(
    of({ _id: a, owner: b, typology: '5ebb096fe1bde10a7ee21348', url: `http://127.0.0.1:4000/tickets/${a}` }),
  ).toEqual({
    _id: '6655a0c41f2b3c4d5e6f7081',
    owner: '6655a0c41f2b3c4d5e6f7082',
    typology: '5ebb096fe1bde10a7ee21348',
    url: 'https://api.example.com/tickets/6655a0c41f2b3c4d5e6f7081',
  });
});

test('times keep their order, days are days, and a list has its first item', () => {
  const [end, start, day] = ['2031-02-03T05:00:00.000Z', '2031-02-03T04:00:00.000Z', '2031-02-03'];
  expect(of({ end, items: [{ start, day }, { start: end }], none: [] })).toEqual({
    end: '2026-11-23T09:32:00.000Z',
    items: [{ start: '2026-11-23T09:31:00.000Z', day: '2026-11-23' }],
    none: [],
  });
});

test('no secret and no link of the run is left', () => {
  const opaque = 'Zx9-_'.repeat(9);
  const given = {
    secret: `whsec_${opaque}`,
    token: `fmt_${opaque}`,
    session: `eyJh.${opaque}.${opaque}`,
    link: `https://files.example.com/files/${opaque}.${opaque}`,
    page: `http://127.0.0.1:4000/set-password#${opaque}`,
    name: 'Company 12ab34cd',
    reference: '0b5a1f3e-2a0d-4a9e-8a53-0d9f6c1b2a3d',
  };
  const text = JSON.stringify(of(given));
  expect(text).not.toMatch(/Zx9|12ab34cd|0b5a1f3e|127\.0\.0\.1/);
  expect(of(of(given))).toEqual(of(given));
});
