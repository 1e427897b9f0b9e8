import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';

/**
 * Lints the OpenAPI documents on its input, by their names, by the recommended rules of Redocly and of Spectral, and prints the
 * findings as JSON. A program of its own, because Jest would compile the packages, which are large.
 */
async function main(): Promise<void> {
  const findings: Record<string, string[]> = {};
  for (const [name, document] of Object.entries(JSON.parse(await text(process.stdin)) as Record<string, object>)) {
    findings[name] = [...(await redocly(JSON.stringify(document))), ...(await spectral(document))];
  }
  process.stdout.write(JSON.stringify(findings));
}

async function redocly(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(
    ({ severity, ruleId, message, location }) => `redocly ${severity} ${ruleId} ${location[0]?.pointer}: ${message}`,
  );
}

async function spectral(document: object): Promise<string[]> {
  const linter = new spectralCore.Spectral();
  linter.setRuleset({ extends: [spectralRulesets.oas as RulesetDefinition] });
  const problems = await linter.run(document as Record<string, unknown>);
  return problems
    .filter((problem) => !isNoSchema(problem))
    .map(({ code, path, message }) => `spectral ${code} #/${path.join('/')}: ${message}`);
}

/**
 * A fault of Spectral: this rule looks for schemas at any depth of `content` (`$..content..`), also within the values of
 * examples, and takes each object with a `type` and an `example` for one. The items of this answer have both, because an event
 * type has an example; they are no schemas. Whether the example fits the schema of the answer, `oas3-valid-media-example` says.
 */
function isNoSchema({ code, path }: { code: string | number; path: (string | number)[] }): boolean {
  const items = /^paths \/webhooks\/event-types get responses 200 content application\/json example items \d+ example$/;
  return code === 'oas3-valid-schema-example' && items.test(path.join(' '));
}

main();
