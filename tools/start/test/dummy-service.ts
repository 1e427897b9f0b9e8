import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';

/**
 * Stands for a service in the tests of the launcher: ready at once, and controlled by files in its
 * working folder.
 */
const name = process.env['DUMMY_NAME'] ?? 'dummy';

if (existsSync(`${name}.refuse`)) {
  console.error('a setting is missing');
  process.exit(3);
}
createServer((_, response) => response.end(JSON.stringify(process.env))).listen(
  Number(process.env['OPS_PORT']),
  '127.0.0.1',
);
console.log('listening');
process.on('SIGTERM', () => {
  if (existsSync(`${name}.hang`)) return;
  console.log('told to stop');
  process.exit(0);
});
setInterval(() => {
  if (!existsSync(`${name}.crash`)) return;
  rmSync(`${name}.crash`);
  process.exit(7);
}, 20);
