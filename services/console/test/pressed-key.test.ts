import { keyOf } from '../src/shell/keyboard/pressed-key.ts';

const shortcuts = ['1', 'j', 'Enter', '-'];
const [alone, withShift] = [false, true];

test.each([
  ['a letter', alone, 'j', 'KeyJ', 'j'],
  ['a letter with Caps Lock', alone, 'J', 'KeyJ', 'j'],
  ['a letter with Shift, which is another key', withShift, 'J', 'KeyJ', 'J'],
  ['a key with a name', alone, 'Enter', 'Enter', 'Enter'],
  ['a digit', alone, '1', 'Digit1', '1'],
  ['a digit of the number pad', alone, '1', 'Numpad1', '1'],
  ['a key of the upper row on AZERTY', alone, '&', 'Digit1', '1'],
  ['one with an accent', alone, 'é', 'Digit2', '2'],
  ['a digit on AZERTY', withShift, '1', 'Digit1', '1'],
  ['what is typed with Shift on QWERTY', withShift, '!', 'Digit1', '!'],
  ['a key of the upper row that types a shortcut', alone, '-', 'Digit6', '-'],
  ['the last of that row, which no shortcut has', alone, 'à', 'Digit0', 'à'],
] as const)('%s', (_, shiftKey, key, code, called) => {
  expect(keyOf({ key, code, shiftKey }, (typed) => shortcuts.includes(typed))).toBe(called);
});
