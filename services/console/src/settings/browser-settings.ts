/** Settings stored in this browser. Never store anything here that identifies a user or a session. */
type BrowserSetting = 'language' | 'theme' | 'shortcuts';

/** Null also if the browser forbids storage. */
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
    // Without storage the setting lasts until the page is left.
  }
}
