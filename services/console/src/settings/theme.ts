import { readSetting, writeSetting } from './browser-settings.ts';
import { externalValue, useExternalValue } from './external-value.ts';

const themes = ['light', 'dark', 'system'] as const;
export type Theme = (typeof themes)[number];

const stored = readSetting('theme');
const theme = externalValue<Theme>(themes.find((one) => one === stored) ?? 'system');

/** Applies the chosen theme: call it before the first paint and after each change. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.get();
}

export function setTheme(chosen: Theme): void {
  theme.set(chosen);
  writeSetting('theme', chosen);
  applyTheme();
}

export function useTheme(): Theme {
  return useExternalValue(theme);
}
