import { latest } from '../../parsing/json.ts';

test('the latest of the moments is read as ISO 8601 says, not as JavaScript guesses', () => {
  expect(latest(['2026-01-01T10:00:00Z', '2026-01-01T13:00+02', 'soon', null])).toEqual(
    new Date('2026-01-01T11:00:00Z'),
  );
  expect(latest(['2026-02-31T00:00:00Z'])).toBeNull();
});
