import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { trustedCertificate } from '@app/testing';

export type TestProvider = Awaited<ReturnType<typeof startProvider>>;

/** `redirectUris`: how the redirect addresses begin, since each company has one of its own. */
type Registration = { redirectUris: string; method?: 'client_secret_basic' | 'client_secret_post' };

/** A real OpenID Connect provider (`oidc-provider`) as a process of its own. */
export async function startProvider({ redirectUris, method = 'client_secret_basic' }: Registration) {
  const registered = { client_id: 'facility platform', client_secret: 'the secret of: the platform at this provider' };
  const client = {
    ...registered,
    redirect_uris: [redirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: method,
  };
  const certificate = await trustedCertificate(['127.0.0.1']);
  const program = join(__dirname, 'programs/oidc-provider.ts');
  const child = spawn(process.execPath, [program, JSON.stringify({ ...certificate, client })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const issuer = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', () => reject(new Error(`the provider did not start: ${errors.join('')}`)));
  });
  return {
    issuer,
    /** The client that is registered for the platform. */
    client: registered,
    /** Sets the claims of an account. */
    async account(id: string, claims: object): Promise<void> {
      await fetch(`${issuer}/accounts/${id}`, { method: 'PUT', body: JSON.stringify(claims) });
    },
    /** Follows the redirects as a browser of a new user does. @returns the address to which the provider sends it back */
    async visit(url: string): Promise<URL> {
      const jar = new Map<string, string>();
      for (let next = new URL(url), hops = 0; hops < 10; hops += 1) {
        const cookie = [...jar].map((one) => one.join('=')).join('; ');
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
          jar.set(name, value);
        }
        const location = response.headers.get('location');
        if (!location) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
        next = new URL(location, next);
        if (next.origin !== issuer) return next;
      }
      throw new Error('the provider redirects without end');
    },
    /** Ends the process. */
    async close(): Promise<void> {
      child.kill();
      await exited;
    },
  };
}
