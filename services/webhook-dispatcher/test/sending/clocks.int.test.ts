import { answer, behaviours, eventually, type Receiver, shiftClock, startReceiver } from '@app/testing';
import { aCompany, startDispatcher, statusChanged } from '../dispatcher.ts';

const dayMs = 24 * 3_600_000;

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test.each([
  ['ahead', dayMs],
  ['behind', -dayMs],
])(
  'what a replica a day %s sends and leaves behind is sent and due as if its clock were right',
  async (_name, offset) => {
    receiver.received.length = 0;
    receiver.behave(answer(500));
    const wrong = await startDispatcher({ retryDelaysMs: [2_000, 2_000] });
    const company = aCompany();
    // Before the clock is shifted: tokens are checked by the clock of the process.
    const { id } = await wrong.endpoint(company, receiver.url());
    const putRight = shiftClock(() => offset);
    await wrong.publish(statusChanged([company.companyId]));
    const stored = () => wrong.connection.collection('deliveries').findOne({ endpointId: id });
    await eventually(async () => expect(await stored()).toMatchObject({ status: 'failed' }));
    await wrong.stop();
    putRight();

    const [sent] = receiver.received;
    const signedAt = Number(/t=(\d+)/.exec(String(sent?.headers['x-service-signature']))?.[1]) * 1_000;
    expect(Math.abs(Date.now() - signedAt)).toBeLessThan(dayMs / 2);
    receiver.behave(behaviours.ok);
    const right = await startDispatcher({}, wrong.namespace);
    await eventually(async () => {
      const [delivery] = await right.deliveries(company, id);
      expect(delivery?.status).toBe('succeeded');
      expect(delivery?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 200]);
      for (const { at } of delivery?.attempts ?? [])
        expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(dayMs / 2);
    });
    await right.drop();
    await right.stop();
  },
);
