import { createAddressPolicy } from '../../ssrf-guard/address-policy.ts';
import { refusedHosts, refusedNames, refusedUrls, words } from './refused-addresses.ts';

const policy = createAddressPolicy();

const refused = words(`
  0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254
  169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1
  192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 168.63.129.16
  :: ::1 ::2 ::7f00:1 ::a9fe:a9fe ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe ::ffff:10.0.0.1
  ::ffff:0:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::7f00:1 100::1 100:0:0:1::1 5f00::1
  2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:30::1 2001:db8::1 2002:7f00:1::
  2002:a00:1::1 3fff::1 3fff:fff::1 4000::1 8000::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0
  febf::1 fec0::1 ff02::1
  localhost 127.1 2130706433 0x7f000001 [::1] 1.2.3.4.5`);

const open = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255
  169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 192.31.196.1 192.52.193.1 192.175.48.1
  198.17.255.255 198.20.0.0 223.255.255.255
  2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450:4007:80e::200e 3ffe::1`);

test.each([...refused, ''])('the address %p is refused', (address) => expect(policy.refuses(address)).toBe(true));
test.each(open)('the address %p may be called', (address) => expect(policy.refuses(address)).toBe(false));

const faults = {
  address: 'must have a public address',
  name: 'must have a public host name',
  form: 'must be a URL such as https://example.com/hooks',
};

test.each(Object.values(refusedHosts).flat())('a URL with the host %p is refused', (host) => {
  expect(policy.violation(`https://${host}/hooks`)).toBe(faults.address);
});

test.each([...refusedNames, ...refusedUrls])('%p is refused, with a reason', (nameOrUrl) => {
  const url = refusedNames.includes(nameOrUrl) ? `https://${nameOrUrl}:8443/hooks` : nameOrUrl;
  expect(policy.violation(url.replace('{host}', 'example.com'))).toMatch(/^must /);
});

test.each([
  ['https://localhost:8443/', faults.name],
  ['https://printer/', faults.name],
  ['http://example.com/', 'must use https'],
  ['file:///etc/passwd', faults.form],
  ['https://user:pw@example.com/', 'must not hold a user name or password'],
  ['https://example.com@127.0.0.1/', 'must not hold a user name or password'],
  ['https://127.0.0.1\\@example.com/', 'must not hold control characters or backslashes'],
  ['https://exam\tple.com/', 'must not hold control characters or backslashes'],
  ['https://example.com/ ', 'must not begin or end with a space'],
  ['https://example.com:0/', 'must not use port 0'],
  ['https:example.com', faults.form],
  ['https://[fe80::1%25eth0]/', faults.form],
  ['', faults.form],
])('the URL %p: %s', (url, fault) => expect(policy.violation(url)).toBe(fault));

const goodUrls = words(`
  https://example.com https://example.com/hooks?tenant=7 https://example.com.:8443/hooks https://hooks.notlocal/
  https://8.8.8.8/hooks https://[2606:4700:4700::1111]:8443/hooks https://bücher.example/hooks
  https://internal.example.com/`);
test.each(goodUrls)('the URL %p may be called', (url) => expect(policy.violation(url)).toBeNull());

describe('with networks opened', () => {
  const opened = createAddressPolicy(['127.0.0.0/8', '10.1.2.3', 'fd00::/8']);

  test.each(['127.0.0.1', '127.255.0.1', '10.1.2.3', 'fd12::1'])('%s may be called', (address) => {
    expect(opened.refuses(address)).toBe(false);
  });

  test.each(['10.1.2.4', '169.254.169.254', '::1', 'fe80::1', '192.168.0.1'])('%s stays refused', (address) => {
    expect(opened.refuses(address)).toBe(true);
  });

  test('names stay refused, and an address in them may be registered', () => {
    expect(opened.violation('https://app.localhost/')).toBe(faults.name);
    expect(opened.violation('https://127.0.0.1:5443/hooks')).toBeNull();
  });
});

test.each(['10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'example.com', '10.0.0.0/', '10.0.0.0/a', ''])(
  '%p is no network, and says so',
  (cidr) => expect(() => createAddressPolicy([cidr])).toThrow(`"${cidr}" is no network`),
);
