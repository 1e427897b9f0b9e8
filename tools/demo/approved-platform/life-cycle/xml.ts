import { SaxesParser } from 'saxes';

/** Names are without prefix; `text` is that of the element itself, as it is written. */
export type Element = { name: string; attributes: Record<string, string>; children: Element[]; text: string };

/** The root of a document; null if it is not well-formed. */
export function parseXml(document: string): Element | null {
  const parser = new SaxesParser({ xmlns: true });
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  parser.on('opentag', ({ local, attributes }) => {
    const values = Object.values(attributes).map(({ local: name, value }) => [name, value]);
    const element = { name: local, attributes: Object.fromEntries(values), children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    (open.at(-1) as Element).text += text;
  });
  parser.on('closetag', () => void open.pop());
  try {
    parser.write(document).close();
  } catch {
    return null;
  }
  return root.children[0] ?? null;
}

/** All elements at a path of names below this one. */
export function all(element: Element, path: string): Element[] {
  return path
    .split('/')
    .reduce((found, name) => found.flatMap(({ children }) => children.filter((one) => one.name === name)), [element]);
}

/** The text of the first element at a path; null if there is none, or an empty one. */
export function textAt(element: Element, path: string): string | null {
  const text = all(element, path)[0]?.text;
  return text === undefined || text.trim() === '' ? null : text;
}
