export const words = (text: string) => text.trim().split(/\s+/);

/** Addresses of each refused range, in every spelling that a URL allows. */
export const refusedHosts: Record<string, string[]> = {
  loopback: words(`
    127.0.0.1 127.0.0.1. 127.1 127.0.1 127.65535 127.255.255.254 2130706433 0x7f000001 0X7F000001 017700000001
    0177.0.0.1 00000177.0.0.1 0x7f.1 0x7f.0x0.0x0.0x1 127.0.0.0x1 %31%32%37.0.0.1 127%2e0%2e0%2e1 ①②⑦.⓪.⓪.①
    １２７.0.0.1 １２７．０．０．１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 [::1] [0:0:0:0:0:0:0:1] [0000::0001]
    [::ffff:127.0.0.1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:7f00:1] [::127.0.0.1] [::ffff:0:127.0.0.1]
    [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1] [2002:7f00:1::]`),
  'this host': words('0 00 0.0.0.0 0x0 0.1 [::] [0::0] [::ffff:0.0.0.0]'),
  private: words('10.0.0.1 10.1 012.0.0.1 0xa000001 172.16.0.1 172.31.255.255 192.168.257 3232235777'),
  'carrier, and a metadata service in it': words('100.64.0.1 100.127.255.255 100.100.100.200 0x64646464'),
  'link local, with metadata services': words(`
    169.254.169.254 169.254.169.254. 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.16689662 [::ffff:169.254.169.254]
    [0:0:0:0:0:ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [fe80::1] [febf::1] [fd00:ec2::254] [fd20:ce::254]`),
  'metadata elsewhere': words('192.0.0.192 168.63.129.16 0xa83f8110'),
  'documentation, benchmarks, assignments': words(`
    192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1
    [2001:db8::1] [3fff::1] [2001:2::1] [2001::1] [2001:10::1] [100::1] [5f00::1]`),
  'multicast, reserved, broadcast': words('224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 4294967295'),
  'IPv6 beyond global unicast': words('[fc00::1] [fec0::1] [ff02::1] [ff0e::1] [4000::1] [2002:a00:1::1]'),
};

/** Names that are refused whatever networks an installation allows. */
export const refusedNames = words(`
  localhost LOCALHOST localhost. localhost.. localhost。 lo\u00adcalhost ⓛocalhost ｌocalhost %6cocalhost app.localhost
  app.localhost. printer printer. ip6-localhost localhost.localdomain a.localdomain6 printer.local x.local.. db.internal
  metadata.google.internal metadata.google.internal. metadata.google.internal.. metadata.goog nas.home.arpa x.onion
  x.invalid api.prod.svc api.svc.cluster.local api.default.svc.cluster.local 127.0.0.1.. a..example.com .localhost ..`);

/** Whole URLs that are refused, whatever their host; `{host}` stands for a name and port. */
export const refusedUrls = [
  ...words(`
    http://{host}/ HTTP://{host}/ ftp://{host}/ ws://{host}/ wss://{host}/ file://{host}/etc/passwd gopher://{host}/
    javascript:alert(1) data:text/plain,x //{host}/ {host} https:{host} https:/{host}/ https:///{host}/
    https://user@{host}/ https://user:pw@{host}/ https://@{host}/ https://:@{host}/ https://example.com@{host}/
    https://example.com:443@{host}/ https://example.com:0/ https://example.com:65536/ https://256.1.1.1/
    https://1.2.3.4.5/ https://4294967296/ https://[fe80::1%25eth0]/ https://[::1%lo]/ https://[::1/
    https://127.0.0.1%00/ https://`),
  ...['https:\\\\{host}\\', 'https://{host}\\@example.com/', 'https://example.com\\@{host}/'],
  ...['https://exam\tple.com/', 'https://exam\nple.com/', ' https://{host}/', 'https://{host}/ '],
];
