import { readFileSync } from 'node:fs';
import { isGenuine } from './webhooks.mjs';

for (const line of readFileSync(0, 'utf8').trimEnd().split('\n')) {
  const [body, header, secret] = line.split('\t');
  process.stdout.write(`${isGenuine(Buffer.from(body, 'base64'), header, secret)}\n`);
}
