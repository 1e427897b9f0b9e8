import type { Caller, CompanySnapshot, UserSnapshot } from '@app/contracts';
import { newId } from '@app/kernel';
import { connectBroker } from '@app/messaging';
import { ensureIndexes } from '@app/runtime';
import { createStorage, createUrlSigner } from '@app/storage';
import { signAs, testDatabase, testInfra, testLogger, testNamespace, verifyTestToken } from '@app/testing';
import type { Connection } from 'mongoose';
import request from 'supertest';
import { createApp } from '../../app.ts';
import { createCompanyDirectory } from '../../companies/company-directory.ts';
import { createCompanyProjections } from '../../companies/company-projection-store.ts';
import { createIdentityClient } from '../../companies/identity-client.ts';
import { createContractorStore } from '../../contractors/contractor-store.ts';
import { createReferentialStore } from '../../referentials/referential-store.ts';
import { startIdentity } from './fake-identity-service.ts';

export type DirectoryApp = Awaited<ReturnType<typeof startDirectoryApp>>;

/**
 * The ticket service on real MongoDB and RabbitMQ, with its stores of companies, contractors and referentials at hand.
 * Its relay publishes what is committed but does not sweep, so that `plansOf` sees the routes' queries alone.
 */
export async function startDirectoryApp() {
  const { connection, drop } = await testDatabase();
  const logger = testLogger();
  const broker = await connectBroker({
    url: testInfra().amqpUrl,
    namespace: testNamespace(),
    service: 'ticket',
    logger,
  });
  const identity = await startIdentity();
  const storage = createStorage({ url: testInfra().mongodbUrl, database: connection.name });
  const app = createApp({
    connection,
    broker,
    storage,
    links: createUrlSigner({ keys: [{ id: 'test', secret: Buffer.alloc(32, 7) }], baseUrl: 'http://download.test' }),
    logger,
    verifyToken: verifyTestToken,
    identityUrl: identity.url,
    baseUrl: 'http://api.test',
    proposalLifetimeMs: null,
    timerIntervalMs: 60_000,
  });
  const projections = createCompanyProjections({ connection });
  const companies = createCompanyDirectory({
    projections,
    identity: createIdentityClient({ baseUrl: identity.url }),
  });
  const referentials = createReferentialStore({ connection, relay: app.relay });
  const contractors = createContractorStore({ connection, relay: app.relay });
  await ensureIndexes(connection);

  async function call(caller: Caller, line: string, body?: unknown): Promise<request.Response> {
    const [method = 'GET', path = '/'] = line.split(' ');
    const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'delete';
    const sent = request(app.handler)
      [verb](`/api/v3.0${path}`)
      .set(await signAs(caller));
    return body === undefined ? sent : sent.send(body as object);
  }

  return {
    call,
    subscribe: app.subscribe,
    connection,
    broker,
    identity,
    projections,
    companies,
    referentials,
    contractors,
    async stop() {
      await app.relay.stop();
      await broker.close();
      await identity.stop();
      await storage.close();
      await drop();
    },
  };
}

export function aCompany(given: Partial<CompanySnapshot> = {}): CompanySnapshot {
  return { id: newId(), name: 'Plomberie Durand', kind: 'contractor', siret: null, siren: null, ...given };
}

export function aUser(companyId: string, given: Partial<UserSnapshot> = {}): UserSnapshot {
  const email = `${newId()}@example.com`;
  return {
    id: newId(),
    company_id: companyId,
    first_name: 'Ada',
    last_name: 'Martin',
    email,
    phone: null,
    permissions: ['tickets'],
    active: true,
    version: 0,
    ...given,
  };
}

type Profiled = { ns: string; planSummary?: string; hasSortStage?: boolean; docsExamined?: number; nreturned?: number };

/** How MongoDB carried out the reads that `work` made: every one must go by an index and sort nothing. */
export async function plansOf(connection: Connection, work: () => Promise<unknown>): Promise<Profiled[]> {
  await connection.db?.command({ profile: 2 });
  await work();
  await connection.db?.command({ profile: 0 });
  const profile = connection.db?.collection<Profiled & { op: string }>('system.profile');
  const plans = await profile?.find({ op: 'query', ns: { $not: /system/ } }).toArray();
  await profile?.drop();
  return plans ?? [];
}
