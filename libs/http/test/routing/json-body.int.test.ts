import { once } from 'node:events';
import { request } from 'node:http';
import express from 'express';
import { readJson, readRaw } from '../../routing/json-body.ts';
import { listen } from '../../server.ts';

test.each([
  ['JSON', readJson],
  ['raw bytes', readRaw],
])('%s of a caller that left before they were read are refused, not taken for no body', async (_what, read) => {
  const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
  const app = express().use(async (req, res) => {
    // As in a route that first loads what its path names, while its caller gives up.
    caller.destroy();
    await once(res, 'close');
    resolve(await read(req, res).catch((error: unknown) => error));
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  const headers = { 'content-type': 'application/json' };
  const caller = request({ host: '127.0.0.1', port: server.port, method: 'PUT', headers });
  caller.on('error', () => undefined);
  caller.end('{"invoice_id":"1"}');
  try {
    expect(await outcome).toMatchObject({ kind: 'invalid', message: 'the caller left before its body was read' });
  } finally {
    await server.close();
  }
});
