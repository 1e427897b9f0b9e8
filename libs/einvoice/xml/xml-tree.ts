import { AppError } from '@app/kernel';
import { SaxesParser } from 'saxes';
import { refused } from '../errors.ts';

/** Names are without prefix. `text` is that of the element itself, trimmed. */
export type XmlElement = {
  name: string;
  namespace: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  text: string;
};

/**
 * Marks are the characters that elements, attributes, entities and lines begin with. Counting them bounds the work before it
 * starts; ten thousand invoice lines of thirty elements have 900,000. The deepest path of either syntax has about 12 steps.
 */
const limits = { marks: 1_000_000, depth: 100, attributes: 50 };
const marks = new Set([...'<=&\n'].map((mark) => mark.charCodeAt(0)));
const [carriageReturn, lineFeed] = [13, 10];
const none: ReadonlyMap<string, string> = new Map();

/**
 * Parses a well-formed document without DTD. Only the five predefined entities exist, and nothing is fetched. Elements of
 * namespaces outside the root's family are left out, so that an extension cannot pass for a standard element of that name.
 * @throws AppError invalid `document_refused`, also if a limit is exceeded
 */
export function parseXml(document: string): XmlElement {
  if (countMarks(document) > limits.marks)
    throw refused(`the XML has more than ${limits.marks} elements, attributes, entities and lines`);
  // XML treats every kind of line end as \n (section 2.11 of XML 1.0); the parser is slow with \r.
  const text = document.replace(/\r\n?/g, '\n');
  const parser = new SaxesParser({ xmlns: true });
  const builder = createBuilder();
  parser.on('doctype', () => {
    throw refused('the XML has a document type declaration (DTD), which no e-invoice needs');
  });
  parser.on('opentagstart', builder.start);
  parser.on('attribute', builder.countAttribute);
  parser.on('opentag', (tag) => {
    const attributes = Object.values(tag.attributes).filter(({ prefix, local }) => prefix === '' && local !== 'xmlns');
    builder.open({
      name: tag.local,
      namespace: tag.uri,
      attributes: attributes.length === 0 ? none : new Map(attributes.map(({ local, value }) => [local, value])),
      children: [],
      text: '',
    });
  });
  parser.on('text', builder.text);
  parser.on('cdata', builder.text);
  parser.on('closetag', builder.close);
  try {
    parser.write(text).close();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw refused(`the XML is not well-formed: ${(error as Error).message.slice(0, 200)}`);
  }
  return builder.root();
}

function createBuilder() {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let family: string | undefined;
  let attributes = 0;
  return {
    start: () => {
      attributes = 0;
      if (open.length >= limits.depth) throw refused(`the XML is nested deeper than ${limits.depth} elements`);
    },
    countAttribute: () => {
      attributes += 1;
      if (attributes > limits.attributes) throw refused(`an element has more than ${limits.attributes} attributes`);
    },
    open: (element: XmlElement) => {
      root ??= element;
      family ??= familyOf(element);
      if (element.namespace.startsWith(family)) open.at(-1)?.children.push(element);
      open.push(element);
    },
    text: (text: string) => {
      const element = open.at(-1);
      if (element) element.text += text;
    },
    close: () => {
      const element = open.pop();
      if (element) element.text = element.text.trim();
    },
    root: () => root as XmlElement,
  };
}

function countMarks(text: string): number {
  if (text.length <= limits.marks) return 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (marks.has(code) || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed)) count += 1;
  }
  return count;
}

/** The common start of the namespaces of a syntax: `urn:oasis:names:specification:ubl`, `urn:un:unece:uncefact:data`. */
function familyOf({ namespace }: XmlElement): string {
  return namespace.split(':', 5).join(':');
}

/** All elements at a path of local names: `all(invoice, 'InvoiceLine/Item')`. */
export function all(from: XmlElement | undefined, path: string): XmlElement[] {
  if (from === undefined) return [];
  return path
    .split('/')
    .reduce((found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)), [from]);
}

export function first(from: XmlElement | undefined, path: string): XmlElement | undefined {
  return all(from, path)[0];
}

/** The non-empty texts at a path. */
export function texts(from: XmlElement | undefined, path: string): string[] {
  return all(from, path).flatMap(({ text }) => (text === '' ? [] : [text]));
}

/** The first non-empty text at any of the paths; none: null. */
export function textAt(from: XmlElement | undefined, ...paths: string[]): string | null {
  for (const path of paths) {
    const [text] = texts(from, path);
    if (text !== undefined) return text;
  }
  return null;
}
