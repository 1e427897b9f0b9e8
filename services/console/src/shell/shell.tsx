import { Menu as MenuIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../components/button.tsx';
import { useMedia } from '../components/layout/use-media.ts';
import { useFrameTexts } from '../i18n/locale.tsx';
import { lastUndoable, undoAction } from '../session/actions.ts';
import { usePreferredLocale } from '../session/preferences.ts';
import { useSession } from '../session/session.ts';
import { SessionExpired } from '../session/session-expired.tsx';
import { listenForShortcuts, useShortcut } from './keyboard/shortcuts.ts';
import { Logo } from './logo.tsx';
import { type Entry, entriesFor } from './navigation/navigation.ts';
import { SideBar } from './navigation/side-bar.tsx';
import { LeaveQuestion } from './navigation/unsaved-changes-dialog.tsx';
import { Bars } from './notifications/bars.tsx';
import { Bell } from './notifications/bell.tsx';
import { Toasts } from './notifications/toasts.tsx';
import styles from './shell.module.css';

const KeyboardHelp = lazy(async () => ({ default: (await import('./keyboard-help.tsx')).KeyboardHelp }));
const GoTo = lazy(async () => ({ default: (await import('./navigation/go-to.tsx')).GoTo }));

/** As in shell.module.css: the side bar is hidden. */
const phone = '(max-width: 767px)';

type Opened = 'help' | 'go to' | null;

/** The frame around every page of a signed-in user. */
export function Shell({ children }: { children: ReactNode }) {
  const texts = useFrameTexts();
  const [path] = useLocation();
  const [opened, open] = useState<Opened>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  usePreferredLocale();
  useFrameShortcuts(open);
  useEffect(() => {
    if (path) setMenuOpen(false);
  }, [path]);
  useFocusOnNewPage(path);
  const session = useSession();
  const isPhone = useMedia(phone);
  const close = (isOpen: boolean) => !isOpen && open(null);
  return (
    <div className={styles['shell']}>
      <a href="#content" className={styles['skip']} data-screen>
        {texts.skip}
      </a>
      <header className={styles['top']} data-screen>
        <Button
          variant="quiet"
          isIcon
          aria-label={texts.menu}
          aria-expanded={isMenuOpen}
          onPress={() => setMenuOpen(!isMenuOpen)}
        >
          <MenuIcon size={18} aria-hidden="true" />
        </Button>
        <Logo />
        {isPhone && <Bell />}
      </header>
      <SideBar
        isOpen={isMenuOpen}
        bell={isPhone ? null : <Bell />}
        onClose={() => setMenuOpen(false)}
        onHelp={() => open('help')}
        onGoTo={() => open('go to')}
      />
      <main id="content" tabIndex={-1} className={styles['main']}>
        <Bars />
        {children}
      </main>
      {entriesFor(session).map((entry) => (
        <PageKey key={entry.name} entry={entry} />
      ))}
      <Toasts />
      <LeaveQuestion />
      <SessionExpired />
      <Suspense>
        {opened === 'help' && <KeyboardHelp isOpen onOpenChange={close} />}
        {opened === 'go to' && <GoTo isOpen onOpenChange={close} />}
      </Suspense>
    </div>
  );
}

/**
 * When a link disappears with its page, the focus is lost, and Tab would begin at the side bar
 * again. The focus then goes to the new page, unless that page has set it itself.
 */
function useFocusOnNewPage(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

function useFrameShortcuts(open: (what: Opened) => void): void {
  const texts = useFrameTexts();
  useLayoutEffect(listenForShortcuts, []);
  useShortcut('?', () => open('help'));
  useShortcut('mod+k', () => open('go to'));
  useShortcut('/', () => document.querySelector<HTMLElement>('[data-search]')?.focus());
  useShortcut('z', () => {
    const id = lastUndoable();
    if (id !== null) void undoAction(id, texts.undone);
  });
}

/** `g` and its letter lead to a page. */
function PageKey({ entry }: { entry: Entry }) {
  const [, navigate] = useLocation();
  useShortcut(`g ${entry.key}`, () => navigate(entry.href));
  return null;
}
