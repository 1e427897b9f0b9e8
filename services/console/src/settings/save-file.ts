/** Has the browser save a file. */
export function saveFile(content: Blob, name: string): void {
  const href = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  // Not at once: the browser reads it after this.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
