import { newId } from '@app/kernel';
import { eventually } from '@app/testing';
import { aCompany, type Dispatcher, useDispatcher } from '../dispatcher.ts';

const dayMs = 86_400_000;
/** No receiver listens there. */
const nobody = 'https://127.0.0.1:1/';
let dispatcher: Dispatcher;
useDispatcher({}, (one) => {
  dispatcher = one;
});
const collection = () => dispatcher.connection.collection<{ _id: string }>('deliveries');

/** What MongoDB's TTL indexes delete in so many days. */
async function goneIn(days: number): Promise<string[]> {
  const at = Date.now() + days * dayMs;
  const gone: string[] = [];
  for (const { key, expireAfterSeconds, partialFilterExpression = {} } of await collection().indexes()) {
    if (expireAfterSeconds === undefined) continue;
    const [field = ''] = Object.keys(key);
    const passed = { [field]: { $lte: new Date(at - expireAfterSeconds * 1_000) } };
    const found = await collection().find({ $and: [passed, partialFilterExpression] } as never);
    gone.push(...(await found.toArray()).map(({ _id }) => _id));
  }
  return gone;
}

/** A delivery that was canceled so many days ago, of an endpoint that is active again. */
async function canceled(endpointId: string, days: number): Promise<string> {
  const record = {
    ...{
      _id: newId(),
      endpointId,
      event: 'ticket.quote_added',
      body: '{}',
      status: 'canceled',
      tries: 0,
      attempts: [],
    },
    ...{ createdAt: new Date(Date.now() - days * dayMs), nextAttemptAt: null },
  };
  await collection().insertOne(record);
  return record._id;
}

test.each(['recovered', 'redelivered'])(
  'the log is kept for 90 days, and deliveries that were %s for 90 days from then',
  async (how) => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, nobody);
    const older = await canceled(id, 89.9);
    const anew = await canceled(id, 89);
    const path = `/webhooks/endpoints/${id}`;
    const since = new Date(Date.now() - 89.5 * dayMs).toISOString();
    const answer =
      how === 'recovered'
        ? await dispatcher.call(company, 'post', `${path}/recover`, { since })
        : await dispatcher.call(company, 'post', `${path}/deliveries/${anew}/redeliver`);
    expect(answer.status).toBe(202);
    await eventually(async () => {
      expect(await dispatcher.deliveries(company, id, '?status=exhausted')).toMatchObject([{ id: anew }]);
    });
    expect(await goneIn(0)).toEqual([]);
    expect(await goneIn(1.5)).toEqual([older]);
    expect(await goneIn(89)).toEqual([older]);
    expect((await goneIn(91)).sort()).toEqual([older, anew].sort());
    await collection().deleteMany({});
  },
);

test.each([
  // Created at 10:00, 10:30 and 11:00 UTC.
  ['2026-11-21T12:30+02', 2, undefined],
  ['2026-11-21 10:30', 2, undefined],
  ['2026-11-21T10:30:00.001Z', 1, undefined],
  ['2026-11-21T10:00Z', 1, '2026-11-21T12:30+02'],
  ['2026-11-21T10:30Z', 0, '2026-11-21T10:30Z'],
])(
  'recover since %s sends %i deliveries made since then again, before %s, and a dry run says so',
  async (since, queued, until) => {
    const company = aCompany();
    const { id } = await dispatcher.endpoint(company, nobody);
    const records = ['10:00', '10:30', '11:00'].map((time) => ({
      _id: newId(),
      ...{ endpointId: id, event: 'ticket.quote_added', body: '{}', status: 'exhausted', tries: 6, attempts: [] },
      ...{ createdAt: new Date(`2026-11-21T${time}:00Z`), nextAttemptAt: null },
    }));
    await collection().insertMany(records);
    const recover = (body: object) => dispatcher.call(company, 'post', `/webhooks/endpoints/${id}/recover`, body);
    const made = { since, ...(until ? { until } : {}) };
    await dispatcher.call(company, 'patch', `/webhooks/endpoints/${id}`, { active: false });
    expect(await recover({ ...made, dryRun: true })).toMatchObject({ status: 200, body: { queued } });
    expect((await recover(made)).body).toMatchObject({ code: 'webhook_endpoint_inactive' });
    expect(await dispatcher.deliveries(company, id, '?status=exhausted')).toHaveLength(3);
    await dispatcher.call(company, 'patch', `/webhooks/endpoints/${id}`, { active: true });
    expect(await recover(made)).toMatchObject({ status: 202, body: { queued } });
  },
);
