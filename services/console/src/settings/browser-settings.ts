/** What this browser remembers: never anything that identifies a user or a session. */
export type BrowserSetting = 'language' | 'theme' | 'shortcuts';

/** Null where storage is not allowed, too. */
export function readSetting(name: BrowserSetting): string | null {
  try {
    return localStorage.getItem(`console.${name}`);
  } catch {
    return null;
  }
}

export function writeSetting(name: BrowserSetting, value: string): void {
  try {
    localStorage.setItem(`console.${name}`, value);
  } catch {
    // Then it lasts until the page is left.
  }
}
