import { Monitor, Moon, Sun } from 'lucide-react';
import { Label, Radio, RadioGroup, VisuallyHidden } from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { setTheme, type Theme, useTheme } from '../../settings/theme.ts';
import styles from '../shell.module.css';

const icons = { light: Sun, dark: Moon, system: Monitor } as const;

export function ThemeChoice() {
  const texts = useFrameTexts();
  return (
    <RadioGroup
      className={styles['themes'] as string}
      orientation="horizontal"
      value={useTheme()}
      onChange={(theme) => setTheme(theme as Theme)}
    >
      <VisuallyHidden>
        <Label>{texts.theme}</Label>
      </VisuallyHidden>
      {(Object.keys(icons) as Theme[]).map((theme) => {
        const Icon = icons[theme];
        return (
          <Radio key={theme} value={theme} aria-label={texts[theme]} className={styles['theme'] as string}>
            <Icon size={14} aria-hidden="true" />
          </Radio>
        );
      })}
    </RadioGroup>
  );
}
