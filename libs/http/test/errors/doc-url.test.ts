import { docUrlFor } from '../../errors/doc-url.ts';

test.each([
  [
    { 'x-forwarded-host': 'api.example.com', 'x-forwarded-proto': 'https' },
    'https://api.example.com/guide/errors#in_use',
  ],
  [{ 'x-forwarded-host': '127.0.0.1:4000', 'x-forwarded-proto': 'http' }, 'http://127.0.0.1:4000/guide/errors#in_use'],
  [{ 'x-forwarded-host': 'api.example.com' }, undefined],
  [{}, undefined],
])('called with %j, the entry of a code is at %s', (headers, url) => {
  expect(docUrlFor(headers, 'in_use').doc_url).toBe(url);
});
