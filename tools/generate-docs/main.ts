import { writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { generateDocs } from './index.ts';

async function main(): Promise<void> {
  // Up from tools/generate-docs/main.ts.
  const root = dirname(dirname(dirname(resolve(process.argv[1] ?? ''))));
  for (const [path, content] of await generateDocs(root)) {
    writeFileSync(join(root, path), content);
    console.log(`wrote ${path}`);
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
