import { randomBytes } from 'node:crypto';
import express, { type Request } from 'express';
import { MongoClient } from 'mongodb';

/**
 * The baseline of the platform: Express and the MongoDB driver, the same queries on the same documents, without our layers.
 * Settings: BARE_URL, BARE_DATABASE, BARE_PORT, BARE_COMPANY, and BARE_FILLER, the number of characters added to each
 * ticket so that responses are as long as the platform's.
 */
async function main(): Promise<void> {
  const { BARE_URL: url = '', BARE_DATABASE: database, BARE_PORT: port, BARE_COMPANY: company } = process.env;
  const client = await MongoClient.connect(url, { maxPoolSize: 50, writeConcern: { w: 'majority', journal: true } });
  const tickets = client.db(database).collection<{ _id: string }>('tickets');
  const purchases = client.db(database).collection<{ _id: string }>('purchases');
  const filler = 'x'.repeat(Number(process.env['BARE_FILLER'] ?? 0));
  const views = { $elemMatch: { company_id: company } };
  const template = await tickets.findOne();
  const idOf = (req: Request) => String(req.params['id']);

  const app = express();
  app.set('etag', false);
  app.get('/tickets/:id', async (req, res) => {
    res.json({ ...(await tickets.findOne({ _id: idOf(req), views })), filler });
  });
  app.get('/tickets', async (req, res) => {
    const filter = { _id: { $gt: String(req.query['cursor']) }, views };
    const found = await tickets.find(filter, { hint: 'view' }).sort({ _id: 1 }).limit(51).toArray();
    res.json({ cursor: found[49]?._id, tickets: found.slice(0, 50).map((ticket) => ({ ...ticket, filler })) });
  });
  app.post('/tickets', express.json(), async (req, res) => {
    const now = new Date();
    const _id = randomBytes(12).toString('hex');
    await tickets.insertOne({ ...template, ...req.body, _id, created_at: now, updated_at: now });
    res.status(201).json({ ticket_id: _id });
  });
  app.put('/tickets/:id/:status', async (req, res) => {
    const update = { $set: { 'views.0.status': req.params.status, updated_at: new Date() }, $inc: { version: 1 } };
    const ticket = await tickets.findOneAndUpdate({ _id: idOf(req), views }, update, { returnDocument: 'after' });
    res.json({ ...ticket, filler });
  });
  app.post('/tickets/:id/purchases', express.json(), async (req, res) => {
    const now = new Date();
    const purchase = {
      ...req.body,
      _id: randomBytes(12).toString('hex'),
      ticket_id: idOf(req),
      buyer_company_id: company,
    };
    await purchases.insertOne({ ...purchase, date: now, created_at: now, updated_at: now, deleted: false });
    res.status(201).json({ purchase, created: true });
  });
  app.get('/ready', (_req, res) => void res.json({}));
  app.listen(Number(port), '127.0.0.1');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
