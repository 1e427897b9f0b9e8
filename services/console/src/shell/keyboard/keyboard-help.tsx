import { Switch } from '../../components/forms/switch.tsx';
import { Dialog } from '../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { setShortcutsOn, useShortcutsOn } from '../../settings/shortcuts-setting.ts';
import { entriesFor } from '../navigation/navigation.ts';
import styles from '../shell.module.css';
import { isMac, pageShortcuts } from './shortcuts.ts';

/** Lists the keys, with a switch that turns single-key shortcuts off. */
export function KeyboardHelp({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  const texts = useFrameTexts();
  const session = useSession();
  const everywhere: [string, string][] = [
    ['?', texts.keyHelp],
    ['mod+k', texts.keyGoTo],
    ['/', texts.keySearch],
    ['z', texts.keyUndo],
  ];
  const ofPage = pageShortcuts().map(({ keys, label }): [string, string] => [keys, label]);
  const lists: [string, string][] = [
    ['j k', texts.keyRows],
    ['Enter', texts.keyEnter],
    ['Esc', texts.keyBack],
    ...ofPage,
  ];
  const pages = entriesFor(session).map(({ key, name }): [string, string] => [`g ${key}`, texts.keyPage(texts[name])]);
  return (
    <Dialog title={texts.shortcuts} isOpen={isOpen} onOpenChange={onOpenChange} width="wide">
      <Switch isSelected={useShortcutsOn()} onChange={setShortcutsOn} hint={texts.shortcutsOnHint}>
        {texts.shortcutsOn}
      </Switch>
      <div className={styles['keys']}>
        <KeyList title={texts.keysEverywhere} keys={everywhere} />
        <KeyList title={texts.keysPages} keys={pages} />
        <KeyList title={texts.keysLists} keys={lists} />
      </div>
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className={styles['keyList']}>
        {keys.map(([combination, meaning]) => (
          <div key={combination + meaning}>
            <dt>
              {combination.split(/[ +]/).map((key) => (
                <kbd key={key}>{key === 'mod' ? (isMac ? '⌘' : 'Ctrl') : key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
