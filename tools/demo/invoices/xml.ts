/** An element with a text, or with elements made by `element`; nothing if it has neither. */
export function element(name: string, content: string | null | undefined, attributes = ''): string {
  return content === null || content === undefined || content === ''
    ? ''
    : `<${name}${attributes}>${content}</${name}>`;
}

export function text(value: string | null): string | null {
  return value === null ? null : value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
