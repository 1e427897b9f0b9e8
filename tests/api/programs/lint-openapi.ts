import { text } from 'node:stream/consumers';
import { createConfig, lintFromString } from '@redocly/openapi-core';

/**
 * Lints the OpenAPI documents on its input, by their names, and prints the findings as JSON. A program of its own, because Jest
 * would compile the package, which is large.
 */
async function main(): Promise<void> {
  const findings: Record<string, string[]> = {};
  for (const [name, document] of Object.entries(JSON.parse(await text(process.stdin)) as Record<string, object>)) {
    findings[name] = await lint(JSON.stringify(document));
  }
  process.stdout.write(JSON.stringify(findings));
}

async function lint(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      'info-contact': 'error',
      'operation-description': 'error',
      'operation-tag-defined': 'error',
      'rule/info-description': {
        severity: 'error',
        subject: { type: 'Info', property: 'description' },
        assertions: { defined: true, nonEmpty: true },
      },
      'rule/array-items': {
        severity: 'error',
        where: [{ subject: { type: 'Schema', property: 'type' }, assertions: { defined: true, const: 'array' } }],
        subject: { type: 'Schema', property: 'items' },
        assertions: { defined: true },
      },
    },
  });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ severity, ruleId, message, location }) => {
    return `${severity} ${ruleId} ${location[0]?.pointer}: ${message}`;
  });
}

main();
