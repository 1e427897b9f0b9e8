import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A certification authority: both in PEM, and the file of its certificate, as `NODE_EXTRA_CA_CERTS` takes it. */
export type Authority = { key: string; cert: string; certFile: string };

/** A key and its certificate, in PEM, as `node:https` takes them. */
export type Certificate = { key: string; cert: string };

const dayMs = 24 * 3_600_000;

/** The development authority of a folder, made there once. Its key (mode 0600) is worth nothing outside this machine. */
export async function createAuthority(dir: string): Promise<Authority> {
  const keyFile = join(dir, 'ca.key.pem');
  const certFile = join(dir, 'ca.pem');
  if (!existsSync(certFile) || !existsSync(keyFile)) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // Each authority has a name of its own: of two with the same name only the first would be used.
    const name = `Facility platform development CA ${randomBytes(4).toString('hex')}`;
    const made = await generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      algorithm: 'sha256',
      ...validity(3650),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
      ],
    });
    // The certificate is written last: if it exists, so does the key.
    writeWhole(keyFile, made.private, 0o600);
    writeWhole(certFile, made.cert, 0o644);
  }
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8'), certFile };
}

/** A certificate for a server that is called by these names and addresses, signed by the authority. */
export async function issueCertificate(authority: Authority, hosts: string[]): Promise<Certificate> {
  const [commonName = 'localhost'] = hosts;
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...validity(365),
    ca: { key: authority.key, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host })),
      },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** From an hour ago: a clock that is a little behind does not refuse it. */
function validity(days: number): { notBeforeDate: Date; notAfterDate: Date } {
  return { notBeforeDate: new Date(Date.now() - 3_600_000), notAfterDate: new Date(Date.now() + days * dayMs) };
}

function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.new`, text, { mode });
  renameSync(`${path}.new`, path);
}
