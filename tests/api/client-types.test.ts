import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../..');

// A program, because Jest would compile the compiler.
test('the types of @app/api-client are those of the documents: run `npm run docs`', () => {
  const program = join(root, 'tools/api-types/main.ts');
  expect(execFileSync(process.execPath, [program, '--check']).toString()).toBe('');
});
