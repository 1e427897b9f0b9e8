import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/**
 * Lints the OpenAPI document on its input by the recommended rules of Redocly and of Spectral, and prints the findings
 * as JSON. A program of its own, because Jest would compile the packages, which are large.
 */
async function main(): Promise<void> {
  const source = await text(process.stdin);
  process.stdout.write(JSON.stringify([...(await redocly(source)), ...(await spectral(source))]));
}

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ severity, ruleId, message, location }) => `redocly ${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
}

async function spectral(source: string): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] });
  const problems = await linter.run(JSON.parse(source));
  return problems
    .filter((problem) => !isInsideExample(problem))
    .map(({ code, path, message }) => `spectral ${code} #/${path.join('/')}: ${message}`);
}

/** Spectral takes an example that has a `type` and an `example`, as an event type has, for a schema. */
function isInsideExample({ code, path }: { code: string | number; path: (string | number)[] }): boolean {
  return code === 'oas3-valid-schema-example' && path.slice(0, -1).includes('example');
}

main();
