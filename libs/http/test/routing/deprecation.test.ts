import { deprecationHeaders } from '../../routing/deprecation.ts';

test.each([
  ['less notice than six months', '2026-11-23', '2027-05-22', 'less than 6 months'],
  ['no day', '2026-13-01', '2027-12-01', 'is not a day'],
  ['a time', '2026-11-23T10:00:00Z', '2027-12-01', 'is not a day'],
])('%s is refused', (_what, since, sunset, message) => {
  expect(() => deprecationHeaders({ since, sunset, instead: 'x' })).toThrow(message);
});
