import { join } from 'node:path';
import type { Caller, ExportedFile, ExportPageRequested } from '@app/contracts';
import { connectBroker } from '@app/messaging';
import { connectMongo } from '@app/runtime';
import { createStorage } from '@app/storage';
import {
  aCaller,
  eventually,
  type ServiceProcess,
  signAs,
  signPrincipal,
  startServiceProcess,
  testInfra,
  testLogger,
  testNamespace,
  unzip,
} from '@app/testing';
import axios, { type AxiosRequestConfig } from 'axios';
import { startS3Server } from '../../../../libs/storage/test/backends/s3-server.ts';
import { startIdentity } from '../companies/fake-identity-service.ts';
import { type Answered, otherServices } from './other-services.ts';

export type ExportProcesses = Awaited<ReturnType<typeof startExportProcesses>>;

/**
 * Processes of the ticket service on one database, one broker and one S3-compatible store; the
 * other services are answered for.
 */
export async function startExportProcesses() {
  const namespace = testNamespace();
  const { mongodbUrl: url, amqpUrl } = testInfra();
  const [connection, identity, s3] = await Promise.all([
    connectMongo({ url, database: `${namespace}ticket` }),
    startIdentity(),
    startS3Server(),
  ]);
  const broker = await connectBroker({ url: amqpUrl, namespace, service: 'others', logger: testLogger() });
  const storage = createStorage({ url: s3.url });
  const running: ServiceProcess[] = [];
  const given = { others: (_: ExportPageRequested): Answered => ({}) };

  const answer = otherServices(broker, (request) => given.others(request));
  await broker.subscribe({ queue: 'others', table: [answer] });

  const administer = async (process: ServiceProcess, line: string, config: AxiosRequestConfig = {}) => {
    const [method = '', path = ''] = line.split(' ');
    const headers = await signPrincipal({ kind: 'platform' });
    return axios.request({ baseURL: process.url, method, url: path, validateStatus: () => true, headers, ...config });
  };

  return Object.assign(given, {
    connection,
    storage,
    s3,
    administer,
    async start(): Promise<ServiceProcess> {
      const started = await startServiceProcess(join(__dirname, '../../main.ts'), {
        NAMESPACE: namespace,
        STORAGE_URL: s3.url,
        IDENTITY_URL: identity.url,
        PUBLIC_TICKET_API_URL: 'http://api.test',
        PUBLIC_DOWNLOAD_URL: 'http://download.test',
        DOWNLOAD_LINK_KEYS: `test:${Buffer.alloc(32, 7).toString('base64url')}`,
      });
      running.push(started);
      return started;
    },
    /** A client company that the platform knows, with a user. */
    company(): Caller {
      const caller = aCaller();
      const { companyId: id, companyName: name } = caller;
      identity.companies.set(id, { id, name, kind: 'client', siret: null, siren: null });
      return caller;
    },
    async newTicket(process: ServiceProcess, caller: Caller): Promise<string> {
      const headers = await signAs(caller);
      const { data } = await axios.post(`${process.url}/api/v3.0/tickets`, { title: 'Leak' }, { headers });
      return data.ticket_id;
    },
    async begin(process: ServiceProcess, { companyId }: Caller): Promise<string> {
      const { status, data } = await administer(process, `POST /admin/companies/${companyId}/exports`);
      if (status !== 202) throw new Error(`it answers ${status}`);
      return data.id;
    },
    // biome-ignore lint/suspicious/noExplicitAny: the answer
    async read(process: ServiceProcess, id: string): Promise<any> {
      return (await administer(process, `GET /admin/exports/${id}`)).data;
    },
    async done(process: ServiceProcess, id: string) {
      return eventually(async () => {
        const found = await this.read(process, id);
        expect(found).toMatchObject({ state: 'done', error: null });
        return found;
      }, 240_000);
    },
    async download(process: ServiceProcess, id: string): Promise<Map<string, Buffer>> {
      const { status, data } = await administer(process, `GET /admin/exports/${id}/file`, {
        responseType: 'arraybuffer',
      });
      expect(status).toBe(200);
      return unzip(data);
    },
    async killAll() {
      for (const one of running.splice(0)) await one.kill();
    },
    async stop() {
      await broker.close();
      await connection.dropDatabase();
      await Promise.all([connection.close(), identity.stop(), storage.close()]);
      await s3.stop();
    },
  });
}

/** The path of a stored file in the archive. */
export function named(key: string, index: number): ExportedFile {
  return { key, path: `files/${String(index).padStart(16, '0')}/${index}.bin` };
}
