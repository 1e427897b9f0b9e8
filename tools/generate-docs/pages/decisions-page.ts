import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { heading, table } from '../markdown.ts';

const folder = 'docs/decisions';

/** The index of the decisions: one line each, from the heading, date and status of its file. */
export function decisionsPage(root: string): string {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const rows = files.sort().map((name) => row(name, readFileSync(join(root, folder, name), 'utf8')));
  return `${heading('Decisions', `the files of ${folder}`)}
One file each: context, decision, price. A replaced one stays and says by which.

${table(['decision', 'date', 'status'], rows)}
`;
}

/** @throws Error if the file lacks its heading, date or status */
function row(name: string, text: string): string[] {
  const title = /^# (.+)$/m.exec(text)?.[1];
  const date = /^- Date: (\d{4}-\d{2}-\d{2})$/m.exec(text)?.[1];
  const status = /^- Status: (accepted|replaced by \[\d{4}\])/m.exec(text)?.[1];
  if (!title || !date || !status) throw new Error(`${folder}/${name} lacks its heading, date or status`);
  return [`[${title}](${name})`, date, status.replace(/[[\]]/g, '')];
}
