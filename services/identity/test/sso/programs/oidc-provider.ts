import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider, { type Context } from 'oidc-provider';

/**
 * An OpenID Connect provider in a process of its own. It signs everybody in as the account of `login_hint`, without
 * showing a page. `PUT /accounts/<id>` sets the claims of an account. It prints its address.
 */
const { key, cert, client } = JSON.parse(process.argv[2] ?? '{}');
const accounts = new Map<string, object>();

const server = createServer({ key, cert });
server.listen(0, '127.0.0.1', () => {
  const issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [client],
    pkce: { required: () => true },
    cookies: { keys: ['of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, id: string) => ({
      accountId: id,
      claims: async () => ({ ...accounts.get(id), sub: id }),
    }),
    async loadExistingGrant({ oidc }: Context) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.Client.prototype.redirectUriAllowed = (given: string) => given.startsWith(client.redirect_uris[0]);
  const handle = provider.callback();
  server.on('request', async (req, res) => {
    const path = decodeURIComponent(req.url ?? '/');
    if (path.startsWith('/accounts/')) {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk);
      accounts.set(path.slice('/accounts/'.length), JSON.parse(String(Buffer.concat(chunks))));
      res.writeHead(204).end();
    } else if (path.startsWith('/interaction/')) {
      const { params } = await provider.interactionDetails(req, res);
      await provider.interactionFinished(req, res, { login: { accountId: params.login_hint ?? 'somebody' } });
    } else handle(req, res);
  });
  process.stdout.write(`${issuer}\n`);
});
