import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../..');

// Run as a program of its own, because Jest would compile TypeScript's compiler.
test('the types of @app/api-client are those of the documents: run `npm run docs`', () => {
  const program = join(root, 'tools/api-types/main.ts');
  expect(execFileSync(process.execPath, [program, '--check']).toString()).toBe('');
});
