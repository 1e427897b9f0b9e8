import { behaviours, eventually, type Receiver, startReceiver, TcpProxy, testInfra } from '@app/testing';
import { aCompany, startDispatcher, statusChanged } from '../dispatcher.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test('if an event that is delivered twice is sent twice, the log has both attempts', async () => {
  const one = await startDispatcher();
  const company = aCompany();
  const { id } = await one.endpoint(company, receiver.url('/twice'));
  const event = statusChanged([company.companyId]);
  await one.publish(event);
  await eventually(async () => expect(await one.deliveries(company, id)).toMatchObject([{ status: 'succeeded' }]));
  await one.stop();
  // A new process knows nothing of what the first one did.
  const two = await startDispatcher({}, one.namespace);
  await two.publish(event);
  await eventually(async () => {
    const [delivery] = await two.deliveries(company, id);
    expect(delivery).toMatchObject({ status: 'succeeded', attempts: [{ statusCode: 200 }, { statusCode: 200 }] });
  });
  expect(receiver.at('/twice')).toHaveLength(2);
  await two.drop();
  await two.stop();
});

test('a message that is redelivered because its acknowledgement was lost is not sent again', async () => {
  const { amqpUrl } = testInfra();
  const proxy = await TcpProxy.start(amqpUrl);
  process.env['AMQP_URL'] = proxy.url(amqpUrl);
  const one = await startDispatcher().finally(() => {
    process.env['AMQP_URL'] = amqpUrl;
  });
  const company = aCompany();
  const { id } = await one.endpoint(company, receiver.url('/again'));
  receiver.behave((...given) => {
    proxy.freeze();
    behaviours.ok(...given);
  }, '/again');
  // The broker's confirmation may be lost, too.
  void one.publish(statusChanged([company.companyId])).catch(() => undefined);
  await eventually(async () => expect(await one.deliveries(company, id)).toMatchObject([{ status: 'succeeded' }]));
  proxy.refuse();
  receiver.behave(behaviours.ok, '/again');
  const next = await startDispatcher({}, one.namespace);
  await next.publish(statusChanged([company.companyId], 'Next'));
  await eventually(() => expect(receiver.at('/again').filter(({ body }) => body.includes('Next'))).toHaveLength(1));
  // Stopping ends what was started.
  await next.stop();
  expect(receiver.at('/again')).toHaveLength(2);
  await one.drop();
  await one.crash();
  await proxy.close();
});
