import { AppError, ValidationError } from '../errors.ts';

test('an error keeps its kind, code, details and cause', () => {
  const cause = new Error('underneath');
  const error = new AppError('conflict', 'transition_forbidden', 'not now', { cause, details: { from: 'closed' } });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'AppError',
    message: 'not now',
    kind: 'conflict',
    code: 'transition_forbidden',
    details: { from: 'closed' },
    cause,
  });
});

test('an error without details has none', () => {
  expect(new AppError('invalid', 'x', 'x').details).toEqual({});
});

test('a validation error keeps every fault', () => {
  const errors = [
    { path: 'title', message: 'title is required' },
    { path: 'location_ids.0', message: 'location_ids.0 must be a string' },
  ];
  expect(new ValidationError(errors)).toMatchObject({ name: 'ValidationError', message: 'Validation error', errors });
});
