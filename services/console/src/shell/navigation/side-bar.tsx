import { Keyboard, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { AccountMenu } from '../account-menu.tsx';
import { ThemeChoice } from '../display/theme-choice.tsx';
import { isMac } from '../keyboard/shortcuts.ts';
import { Logo } from '../logo.tsx';
import { MyActions } from '../notifications/my-actions.tsx';
import styles from '../shell.module.css';
import { entriesFor } from './navigation.ts';

type SideBarProps = { isOpen: boolean; bell: ReactNode; onClose: () => void; onHelp: () => void; onGoTo: () => void };

/** The menu: 216 px wide; below 1024 px only icons; below 768 px a dialog over the page. */
export function SideBar({ isOpen, bell, onClose, onHelp, onGoTo }: SideBarProps) {
  const texts = useFrameTexts();
  return (
    <>
      {isOpen && <button type="button" tabIndex={-1} aria-hidden="true" className={styles['veil']} onClick={onClose} />}
      <aside aria-label={texts.menu} className={classes(styles['side'], isOpen && styles['open'])} data-screen>
        <div className={styles['brand']}>
          <Logo />
          {bell}
        </div>
        <Button aria-keyshortcuts="Control+K Meta+K" aria-label={texts.goTo} onPress={onGoTo}>
          <Search size={15} aria-hidden="true" />
          <span className={styles['goTo']}>{texts.goTo}</span>
          <span className={styles['goToKeys']} data-keys={isMac ? '⌘ K' : 'Ctrl K'} />
        </Button>
        <Menu />
        <div className={styles['foot']}>
          <MyActions />
          <Button variant="quiet" aria-keyshortcuts="?" aria-label={texts.shortcuts} onPress={onHelp}>
            <Keyboard size={16} aria-hidden="true" />
            <span className={styles['wide']}>{texts.shortcuts}</span>
          </Button>
          <ThemeChoice />
          <AccountMenu />
        </div>
      </aside>
    </>
  );
}

function Menu() {
  const texts = useFrameTexts();
  const [path] = useLocation();
  const isIn = (href: string) => (href === '/' ? path === '/' : path === href || path.startsWith(`${href}/`));
  return (
    <nav aria-label={texts.main} className={styles['nav']}>
      {entriesFor(useSession()).map(({ name, href, icon: Icon, key }) => (
        <Link
          key={name}
          href={href}
          className={styles['entry'] as string}
          aria-label={texts[name]}
          aria-keyshortcuts={`g ${key}`}
          {...(isIn(href) ? { 'aria-current': 'page' as const } : {})}
        >
          <Icon size={16} aria-hidden="true" />
          <span className={styles['wide']}>{texts[name]}</span>
        </Link>
      ))}
    </nav>
  );
}
