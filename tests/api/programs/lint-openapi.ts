import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * Lints the OpenAPI document on its input by Redocly's recommended rules, and prints the findings as JSON. A program
 * of its own, because Jest would compile the package, which is large.
 */
async function main(): Promise<void> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: await text(process.stdin), absoluteRef: 'openapi.json', config });
  const found = problems.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
  process.stdout.write(JSON.stringify(found));
}

main();
