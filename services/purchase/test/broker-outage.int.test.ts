import { join } from 'node:path';
import { eventually, type ServiceProcess, startServiceProcess, TcpProxy, testInfra, testNamespace } from '@app/testing';

let proxy: TcpProxy;
let service: ServiceProcess;
beforeAll(async () => {
  proxy = await TcpProxy.start(testInfra().amqpUrl);
  service = await startServiceProcess(join(__dirname, '../main.ts'), {
    NAMESPACE: testNamespace(),
    AMQP_URL: proxy.url(testInfra().amqpUrl),
    TICKET_URL: 'http://127.0.0.1:1',
  });
});
afterAll(async () => {
  await service?.kill();
  await proxy.close();
});

const metric = async (line: RegExp) => line.exec(await (await fetch(`${service.ops}/metrics`)).text())?.[1];

test('a service that loses the broker stays ready, since its writes work, and its metrics say so', async () => {
  proxy.cutAfter(0);
  proxy.cut();
  await eventually(async () => expect(await metric(/^broker_connected (\d)$/m)).toBe('0'));
  expect((await fetch(`${service.ops}/readyz`)).status).toBe(200);
  expect(await metric(/^ready\{reason=""\} (\d)$/m)).toBe('1');
});
