import { pageContent } from '../page-content.ts';
import { pages } from '../pages.ts';

const page = { slug: 'tickets', source: 'docs/tickets.md', title: 'Tickets', description: 'Rules' };
const read = (path: string) => `text of ${path}\n`;
const bodyOf = (markdown: string) => pageContent(page, markdown, read).split('---\n\n')[1];

test.each([
  ['[a](api.md)', '[a](/guide/api/)'],
  ['[a](api.md#limits)', '[a](/guide/api/#limits)'],
  ['[a](quick-start.md)', '[a](/guide/)'],
  ['[a](../CHANGELOG.md)', '[a](/guide/changelog/)'],
  ['[a](#notes)', '[a](#notes)'],
  ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
  ['[`a b`](../sdk/api-client/README.md)', '`a b`'],
  ['![a](images/bench.webp)', '![a](/guide/images/bench.webp)'],
  ['[a](security.md)', 'a'],
  ['[a](requests)', 'a'],
])('of a page in docs/, %s becomes %s', (markdown, shown) => {
  expect(bodyOf(`# Tickets\n\n${markdown}\n`)).toBe(`${shown}\n`);
});

test('a line that begins by a link to code is followed by that code', () => {
  expect(bodyOf('# Tickets\n\n[a.py](../libs/x/a.py), started by `python3 a.py`\n')).toBe(
    '`a.py`, started by `python3 a.py`\n\n```py\ntext of libs/x/a.py\n```\n',
  );
});

test('the heading becomes the title; comments and drawings are left out', () => {
  const markdown = '# Tickets\n\n<!-- Generated -->\n\ntext\n\n```mermaid\nflowchart LR\n```\n\n```sh\nls\n```\n';
  const { title, description } = page;
  expect(pageContent(page, markdown, read)).toBe(
    `---\n${JSON.stringify({ title, description, editUrl: false })}\n---\n\ntext\n\n\n\`\`\`sh\nls\n\`\`\`\n`,
  );
});

test('each page has an address of its own', () => {
  expect(new Set(pages.map(({ slug }) => slug)).size).toBe(pages.length);
});
