import { originAllowed, ownOrigins } from '../../auth/origin.ts';

const own = ownOrigins('https://ts.example.com/', 'https://console.example.com, https://other.example.com:8443');

test.each<[string, string | undefined, string | undefined, boolean]>([
  ['POST', undefined, undefined, true],
  ['POST', 'https://ts.example.com', 'same-origin', true],
  ['POST', 'https://TS.example.com', undefined, true],
  ['POST', 'https://console.example.com', 'cross-site', true],
  ['DELETE', 'https://other.example.com:8443', undefined, true],
  ['POST', 'https://other.example.com', undefined, false],
  ['POST', 'http://ts.example.com', undefined, false],
  ['POST', 'https://ts.example.com.evil.test', undefined, false],
  ['POST', 'https://evil.test', 'same-origin', false],
  ['PATCH', 'null', undefined, false],
  ['PUT', '', undefined, false],
  ['DELETE', undefined, 'cross-site', false],
  ['POST', undefined, 'Cross-Site', false],
  ['POST', undefined, 'same-site', true],
  ['POST', undefined, 'none', true],
  ['GET', 'https://evil.test', 'cross-site', true],
  ['HEAD', 'https://evil.test', 'cross-site', true],
])('%s from origin %s and site %s passes: %s', (method, origin, fetchSite, passes) => {
  expect(originAllowed({ method, origin, fetchSite }, own)).toBe(passes);
});
