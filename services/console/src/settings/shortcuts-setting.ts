import { readSetting, writeSetting } from './browser-settings.ts';
import { externalValue, useExternalValue } from './external-value.ts';

const areOn = externalValue(readSetting('shortcuts') !== 'off');

export function shortcutsAreOn(): boolean {
  return areOn.get();
}

export function setShortcutsOn(on: boolean): void {
  areOn.set(on);
  writeSetting('shortcuts', on ? 'on' : 'off');
}

export function useShortcutsOn(): boolean {
  return useExternalValue(areOn);
}
