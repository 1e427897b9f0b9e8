import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '@app/start/infra';
import { writeTypes } from './api-types.ts';
import { generateDocs } from './docs/generate-docs.ts';

/** After each change of schemas, errors, events or settings. */
export async function run(_args: string[], { root }: Place): Promise<void> {
  for (const [path, content] of await generateDocs(root)) {
    writeFileSync(join(root, path), content);
    console.log(`wrote ${path}`);
  }
  await writeTypes(root);
}
