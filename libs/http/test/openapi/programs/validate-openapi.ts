import { text } from 'node:stream/consumers';
import { Validator } from '@seriousme/openapi-schema-validator';

/** Says what is wrong with the OpenAPI document on its input: a process of its own, since Jest cannot load the package. */
async function main(): Promise<void> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(await text(process.stdin)) as Record<string, unknown>);
  // References that lead nowhere are among the errors.
  process.stdout.write(JSON.stringify({ valid, version: validator.version, errors }));
}

main();
