import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isGenuine } from './webhooks.mjs';

const { PORT, INBOX, WEBHOOK_SECRET } = process.env;

createServer(async (req, res) => {
  try {
    const rawBody = Buffer.concat(await req.toArray());
    const delivery = String(req.headers['x-service-delivery']);
    const genuine = isGenuine(rawBody, req.headers['x-service-signature'], WEBHOOK_SECRET);
    if (!genuine || !/^[0-9a-f]{24}$/.test(delivery)) return res.writeHead(400).end();
    // Named by its delivery id, and never overwritten: what comes again is there already. Work on the files afterwards.
    writeFileSync(`${INBOX}/${delivery}.json`, rawBody, { flag: 'wx' });
    res.writeHead(204).end();
  } catch (error) {
    res.writeHead(error.code === 'EEXIST' ? 204 : 500).end();
  }
}).listen(Number(PORT), '127.0.0.1');
