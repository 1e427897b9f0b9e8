import { returnPath } from '../src/pages/sign-in/return-path.ts';

test.each([
  ['/tokens?x=1', '/tokens?x=1'],
  ['//evil.example', '/start'],
  ['https://evil.example', '/start'],
  ['/\\evil.example', '/start'],
  [null, '/start'],
])('who asked for %j comes to %s after the sign-in', (to, path) => {
  expect(returnPath(to)).toBe(path);
});
