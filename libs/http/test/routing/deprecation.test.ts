import { deprecationHeaders } from '../../routing/deprecation.ts';

test('the headers say since when, and when it goes', () => {
  expect(deprecationHeaders({ since: '2026-11-23', sunset: '2027-05-23', instead: 'x' })).toEqual({
    Deprecation: '@1795392000',
    Sunset: 'Sun, 23 May 2027 00:00:00 GMT',
  });
});

test.each([
  ['less notice than six months', '2026-11-23', '2027-05-22', 'less than 6 months'],
  ['no day', '2026-13-01', '2027-12-01', 'is not a day'],
  ['a time', '2026-11-23T10:00:00Z', '2027-12-01', 'is not a day'],
])('%s is refused', (_what, since, sunset, message) => {
  expect(() => deprecationHeaders({ since, sunset, instead: 'x' })).toThrow(message);
});
