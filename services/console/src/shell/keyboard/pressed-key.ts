type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey'>;

/**
 * What shortcuts call the key that was pressed. Caps Lock changes no letter. The keys of the upper row are their digits
 * also where they need Shift for them (AZERTY: `&` is 1), unless what they type is a shortcut itself.
 */
export function keyOf({ key, code, shiftKey }: Pressed, isShortcut: (key: string) => boolean): string {
  if (shiftKey) return key;
  const typed = key.length === 1 ? key.toLowerCase() : key;
  const digit = /^Digit([1-9])$/.exec(code)?.[1];
  return digit === undefined || isShortcut(typed) ? typed : digit;
}
