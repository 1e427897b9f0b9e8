import { ComboBox } from '../../components/choice.tsx';
import { Section } from '../../components/sections.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { Switch } from '../../components/switch.tsx';
import { localeOf, useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { useChangePreferences } from '../../session/preferences.ts';
import { setShortcutsOn, useShortcutsOn } from '../../settings/shortcuts-setting.ts';
import { LanguageChoice } from '../../shell/language-choice.tsx';
import { useTexts } from './texts.ts';

const zones = Intl.supportedValuesOf('timeZone').map((id) => ({ id, text: id.replaceAll('_', ' ') }));

export function Display() {
  const texts = useTexts();
  const frame = useFrameTexts();
  const { timeZone, setTimeZone } = useLocale();
  const keep = useChangePreferences();
  const chooseZone = (zone: unknown) => {
    if (typeof zone !== 'string') return;
    setTimeZone(zone);
    keep.mutate({ time_zone: zone });
  };
  return (
    <Section title={texts.display} hint={texts.displayHint}>
      <LanguageChoice onChange={(language) => keep.mutate({ locale: localeOf[language] })} />
      <ComboBox label={texts.timeZone} options={zones} selectedKey={timeZone} onSelectionChange={chooseZone} />
      <Switch isSelected={useShortcutsOn()} onChange={setShortcutsOn} hint={frame.shortcutsOnHint}>
        {frame.shortcutsOn}
      </Switch>
      <ErrorNote error={keep.error} />
    </Section>
  );
}
