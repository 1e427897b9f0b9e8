import { Switch } from '../components/forms/switch.tsx';
import { Dialog } from '../components/overlays/overlay.tsx';
import { useFrameTexts } from '../i18n/locale.tsx';
import { useSession } from '../session/session.ts';
import { setShortcutsOn, useShortcutsOn } from '../settings/shortcuts-setting.ts';
import { isMac, isUnlabelled, pageShortcuts } from './keyboard/shortcuts.ts';
import { entriesFor } from './navigation/navigation.ts';
import styles from './shell.module.css';

/** Lists the keys that do something now, with a switch that turns single-key shortcuts off. */
export function KeyboardHelp({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  const texts = useFrameTexts();
  const session = useSession();
  const everywhere: Key[] = [
    ['?', texts.keyHelp],
    ['mod+k', texts.keyGoTo],
    ['/', texts.keySearch],
    ['z', texts.keyUndo],
  ];
  const inLists: Key[] = [
    ['j k', texts.keyRows],
    ['Escape', texts.keyBack],
  ];
  const here = [...inLists.filter(isOn), ...pageShortcuts().map(({ keys, label }): Key => [keys, label])];
  const pages = entriesFor(session).map(({ key, name }): Key => [`g ${key}`, texts.keyPage(texts[name])]);
  return (
    <Dialog title={texts.shortcuts} isOpen={isOpen} onOpenChange={onOpenChange} width="wide">
      <Switch isSelected={useShortcutsOn()} onChange={setShortcutsOn} hint={texts.shortcutsOnHint}>
        {texts.shortcutsOn}
      </Switch>
      <div className={styles['keys']}>
        <KeyList title={texts.keysEverywhere} keys={everywhere.filter(isOn)} />
        <KeyList title={texts.keysPages} keys={pages} />
        {here.length > 0 && <KeyList title={texts.keysHere} keys={here} />}
      </div>
    </Dialog>
  );
}

/** Keys, and what they do. */
type Key = [keys: string, meaning: string];

function isOn([keys]: Key): boolean {
  if (keys === '/' && document.querySelector('[data-search]') === null) return false;
  return keys.split(' ').every(isUnlabelled);
}

function KeyList({ title, keys }: { title: string; keys: Key[] }) {
  const texts = useFrameTexts();
  const names: Record<string, string> = {
    mod: isMac ? '⌘' : texts.ctrlKey,
    Escape: texts.escapeKey,
    Enter: texts.enterKey,
  };
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles['keyList']}>
        {keys.map(([combination, meaning]) => (
          <div key={combination + meaning}>
            <dt>
              {combination.split(/[ +]/).map((key) => (
                <kbd key={key}>{names[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
