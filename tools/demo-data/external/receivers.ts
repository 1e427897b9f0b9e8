import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueCertificate } from '@app/start/infra';

const host = '127.0.0.1';
/** What each path answers: the CMMS is down, and stays so. */
const answerOf = (path: string) => (path.startsWith('/cmms') ? 503 : 204);

/**
 * Two subscribers of webhooks on this machine, on one port: `/erp` takes everything, `/cmms` fails. They verify nothing, for they
 * know no secret once the platform was started again; `npm run listen` shows how a receiver verifies.
 */
export async function startReceivers({ authorityDir, port }: { authorityDir: string; port: number }) {
  const certificate = await issueCertificate(await createAuthority(authorityDir), [host, 'localhost']);
  const server = createServer(certificate, (request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(answerOf(request.url ?? '')).end());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `https://${host}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
