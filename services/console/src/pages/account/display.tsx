import { useState } from 'react';
import { contains } from '../../components/contains.ts';
import { ComboBox } from '../../components/forms/choice.tsx';
import { Switch } from '../../components/forms/switch.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { localeOf, useLocale } from '../../i18n/locale.tsx';
import { useChangePreferences } from '../../session/preferences.ts';
import { setShortcutsOn, useShortcutsOn } from '../../settings/shortcuts-setting.ts';
import { LanguageChoice } from '../../shell/display/language-choice.tsx';
import { useTexts } from './texts.ts';

/** Showing all time zones at once would take a second. */
const shown = 30;
const zones = Intl.supportedValuesOf('timeZone');
const wordsOf = (zone: string) => zone.replaceAll('_', ' ');

function zonesLike(text: string): { id: string; text: string }[] {
  const found = zones.filter((zone) => contains(wordsOf(zone), text));
  return found.slice(0, shown).map((id) => ({ id, text: wordsOf(id) }));
}

export function Display() {
  const texts = useTexts();
  const { timeZone, setTimeZone } = useLocale();
  const keep = useChangePreferences();
  const [typed, type] = useState(wordsOf(timeZone));
  const isChosen = typed === wordsOf(timeZone);
  const chooseZone = (zone: unknown) => {
    if (typeof zone !== 'string') return;
    type(wordsOf(zone));
    setTimeZone(zone);
    keep.mutate({ time_zone: zone });
  };
  return (
    <Section title={texts.display} hint={texts.displayHint}>
      <LanguageChoice onChange={(language) => keep.mutate({ locale: localeOf[language] })} />
      <ComboBox
        label={texts.timeZone}
        options={zonesLike(isChosen ? '' : typed)}
        isSearched
        inputValue={typed}
        onInputChange={type}
        onSelectionChange={chooseZone}
        onBlur={() => type(wordsOf(timeZone))}
      />
      <Switch isSelected={useShortcutsOn()} onChange={setShortcutsOn} hint={texts.shortcutsOnHint}>
        {texts.shortcutsOn}
      </Switch>
      <ErrorNote error={keep.error} />
    </Section>
  );
}
