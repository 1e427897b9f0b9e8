import { createAuthority, issueCertificate } from '@app/start/infra';
import { startHttpServer } from '../../fake-server/http-server.ts';

const host = '127.0.0.1';
/** What each path answers: the CMMS is down, and stays so. */
const answerOf = (path: string) => (path.startsWith('/cmms') ? 503 : 204);

/**
 * Two subscribers of webhooks on this machine, on one port: `/erp` takes everything, `/cmms` fails. They verify nothing, for they
 * know no secret once the platform was started again; `npm run demo -- listen` shows how a receiver verifies.
 */
export async function startReceivers({ authorityDir, port }: { authorityDir: string; port: number }) {
  const certificate = await issueCertificate(await createAuthority(authorityDir), [host, 'localhost']);
  return startHttpServer(({ path }) => ({ status: answerOf(path) }), { host, port, certificate });
}
