import { eventually, type Receiver } from '@app/testing';
import { mongo } from 'mongoose';
import { aCompany, type Dispatcher, statusChanged, useDispatcher } from '../dispatcher.ts';

let receiver: Receiver;
let dispatcher: Dispatcher;
useDispatcher({ retryDelaysMs: Array(13).fill(1) }, (one, beside) => {
  dispatcher = one;
  receiver = beside;
});

test('however often a receiver answers, and whatever with, a record of the log stays small', async () => {
  receiver.behave((_req, res) => void res.writeHead(500).end(Buffer.alloc(100_000, 0xff)), '/noise');
  const company = aCompany();
  const { id } = await dispatcher.endpoint(company, receiver.url('/noise'));
  await dispatcher.publish(statusChanged([company.companyId]));
  await eventually(async () => {
    expect(await dispatcher.deliveries(company, id)).toMatchObject([{ status: 'exhausted' }]);
  });
  expect(receiver.at('/noise')).toHaveLength(14);
  const [delivery] = await dispatcher.deliveries(company, id);
  expect(delivery?.attempts).toHaveLength(12);
  for (const { responseBody } of delivery?.attempts ?? []) expect(responseBody).toHaveLength(1_024);
  const record = await dispatcher.connection.collection('deliveries').findOne({ endpointId: id });
  expect(mongo.BSON.calculateObjectSize(record ?? {})).toBeLessThan(48 * 1024);
});
