import { posix } from 'node:path';
import { base, type Page, pages } from './pages.ts';

/**
 * A page as the site generator takes it: the heading becomes the title, links to other pages lead within the site, pictures stand
 * in its folder `images`, a line that begins by a link to code is followed by that code, and links to other files become plain text.
 * Comments and drawings for GitHub are left out. `read`: the text of a file, by its path from the root.
 */
export function pageContent(
  { source, title, description }: Page,
  markdown: string,
  read: (path: string) => string,
): string {
  const body = markdown
    .replace(/^# .*\n/, '')
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/^\[(\S+)\]\((\S+\.(mjs|py|php|go|java))\)(.*)$/gm, (_line, name, target, language, rest) => {
      const code = read(posix.join(posix.dirname(source), target)).trimEnd();
      return `\`${name}\`${rest}\n\n\`\`\`${language}\n${code}\n\`\`\``;
    })
    .replaceAll(/```mermaid\n[\s\S]*?```\n?/g, '')
    .replaceAll(/(!?)\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, mark: string, text: string, target: string) => {
      if (/^(?:https?:|#)/.test(target)) return whole;
      if (mark === '!') return `![${text}](${base}/${target})`;
      const link = siteLink(source, target);
      return link === null ? text : `[${text}](${link})`;
    });
  return `---\n${JSON.stringify({ title, description, editUrl: false })}\n---\n\n${body.trimStart()}`;
}

/** The address within the site of a link's target; null if the guide does not have it. */
function siteLink(source: string, target: string): string | null {
  const [path = '', anchor] = target.split('#');
  const file = posix.join(posix.dirname(source), path);
  const page = pages.find((one) => one.source === file);
  if (!page) return null;
  return `${base}/${page.slug === 'index' ? '' : `${page.slug}/`}${anchor === undefined ? '' : `#${anchor}`}`;
}
