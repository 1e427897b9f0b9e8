import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { heading } from '../markdown.ts';

const folder = 'docs/decisions';
const form = /^# (.+)\n\nAbout: (.+)\n\n## Context\n\n[\s\S]+\n## Decision\n\n[\s\S]+\n## Price\n\n[\s\S]+$/;

/** The index of the decisions: by what they are about, in the order of these headings. */
const subjects = [
  'all services',
  'messaging',
  'gateway',
  'identity',
  'ticket',
  'purchase',
  'invoice-reconciliation',
  'connection',
  'webhook-dispatcher',
  'console',
  'operations',
];

export function decisionsPage(root: string): string {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const decisions = files.sort().map((name) => decisionOf(name, readFileSync(join(root, folder, name), 'utf8')));
  const sections = subjects.flatMap((subject) => {
    const own = decisions.filter(({ about }) => about === subject);
    if (own.length === 0) return [];
    return `## ${subject}\n\n${own.map(({ name, title }) => `- [${title}](${name})`).join('\n')}\n`;
  });
  return `${heading('Decisions', `the files of ${folder}`)}
Why things are as they are where a page or the code does not say it: context, decision, price, on half a page.

${sections.join('\n')}`;
}

/** @throws Error if the file is no decision about one of the subjects */
function decisionOf(name: string, text: string) {
  const [, title = '', about = ''] = form.exec(text) ?? [];
  if (!subjects.includes(about))
    throw new Error(`${folder}/${name}: needs the form of the others, About: ${subjects.join(', ')}`);
  return { name, title, about };
}
