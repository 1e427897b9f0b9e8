import { randomBytes } from 'node:crypto';
import { listen } from '@app/http';
import { behaviours, startReceiver } from '@app/testing';
import { loadSettings as loadDispatcherSettings } from '../../webhook-dispatcher/config.ts';
import { aCompany, startDispatcher } from '../../webhook-dispatcher/test/dispatcher.ts';
import { loadSettings } from '../config.ts';
import { bearer, startGateway } from './gateway.ts';

const here = 'http://127.0.0.1:1';
const env = {
  OPS_PORT: '1',
  PORT: '1',
  TICKET_API_PORT: '1',
  TS_API_PORT: '1',
  DOWNLOAD_PORT: '1',
  PUBLIC_TICKET_API_URL: here,
  PUBLIC_TS_API_URL: here,
  PUBLIC_DOWNLOAD_URL: here,
  IDENTITY_URL: here,
  TICKET_URL: here,
  WEBHOOK_DISPATCHER_URL: here,
  INTERNAL_TOKEN_PRIVATE_KEY: 'k1:MC4CAQ',
  INTERNAL_TOKEN_PUBLIC_KEYS: 'k1:MC4CAQ',
  CREDENTIALS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  MONGODB_URL: 'mongodb://127.0.0.1:1',
  AMQP_URL: 'amqp://127.0.0.1:1',
};
/** Both limits are the defaults divided by this, so that the test is short. */
const shorter = 4;

test('the test of an endpoint that hangs reports that before the gateway times out', async () => {
  const receiver = await startReceiver();
  receiver.behave(behaviours.hang);
  const dispatcher = await startDispatcher({ timeoutMs: loadDispatcherSettings(env).WEBHOOK_TIMEOUT / shorter });
  const service = await listen(dispatcher.http, { host: '127.0.0.1', port: 0 });
  const gateway = await startGateway({
    upstreamTimeoutMs: loadSettings(env).UPSTREAM_TIMEOUT / shorter,
    services: { 'webhook-dispatcher': `http://127.0.0.1:${service.port}` },
  });
  try {
    const company = aCompany();
    gateway.identity.good.set('bearer ts tok_company', { kind: 'caller', caller: company });
    const { id } = await dispatcher.endpoint(company, receiver.url());
    const headers = { ...bearer('tok_company'), 'content-type': 'application/json' };
    const answer = await gateway.call('ts', 'POST', `/webhooks/endpoints/${id}/test`, { headers, body: '{}' });
    expect(answer).toMatchObject({ status: 200, body: { success: false, statusCode: null, error: 'timeout' } });
  } finally {
    await gateway.close();
    await service.close();
    await dispatcher.drop();
    await dispatcher.stop();
    await receiver.close();
  }
});
