import { CircleUser, Globe, LogOut } from 'lucide-react';
import { useState } from 'react';
import { SubmenuTrigger } from 'react-aria-components';
import { Button } from '../components/button.tsx';
import { Menu, MenuItem, MenuTrigger } from '../components/overlays/menu.tsx';
import { AlertDialog } from '../components/overlays/overlay.tsx';
import { type Language, localeOf, useFrameTexts, useLocale } from '../i18n/locale.tsx';
import { useChangePreferences } from '../session/preferences.ts';
import { useSession } from '../session/session.ts';
import { useSignOut } from '../session/sign-in/sign-in.ts';
import { languageNames } from './display/language-choice.tsx';
import styles from './shell.module.css';

/** Who is signed in, the language, and the way out. */
export function AccountMenu() {
  const texts = useFrameTexts();
  const { user, company } = useSession();
  const signOut = useSignOut();
  const [hasFailed, setFailed] = useState(false);
  const leave = () => signOut.mutate(undefined, { onError: () => setFailed(true) });
  return (
    <div className={styles['accountRow']}>
      <div className={styles['who']}>
        <span>{`${user.first_name} ${user.last_name}`}</span>
        <span className={styles['company']}>{company.name}</span>
      </div>
      <MenuTrigger>
        <Button variant="quiet" isIcon aria-label={texts.account}>
          <CircleUser size={18} aria-hidden="true" />
        </Button>
        <Menu aria-label={texts.account}>
          <MenuItem href="/account" icon={<CircleUser size={16} aria-hidden="true" />}>
            {texts.yourAccount}
          </MenuItem>
          <SubmenuTrigger>
            <MenuItem icon={<Globe size={16} aria-hidden="true" />}>{texts.language}</MenuItem>
            <Languages />
          </SubmenuTrigger>
          <MenuItem icon={<LogOut size={16} aria-hidden="true" />} onAction={leave}>
            {texts.signOut}
          </MenuItem>
        </Menu>
      </MenuTrigger>
      <AlertDialog
        title={texts.notSignedOut}
        confirm={texts.signOut}
        isHarmless
        isOpen={hasFailed}
        sending={signOut}
        onConfirm={leave}
        onOpenChange={setFailed}
      >
        {texts.notSignedOutWhy}
      </AlertDialog>
    </div>
  );
}

function Languages() {
  const texts = useFrameTexts();
  const { language, setLanguage } = useLocale();
  const keep = useChangePreferences();
  const choose = (chosen: Language) => {
    setLanguage(chosen);
    keep.mutate({ locale: localeOf[chosen] });
  };
  return (
    <Menu
      aria-label={texts.language}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[language]}
      onSelectionChange={(keys) => {
        const [chosen] = [...keys];
        if (chosen === 'en' || chosen === 'fr') choose(chosen);
      }}
    >
      {(Object.keys(languageNames) as Language[]).map((one) => (
        <MenuItem key={one} id={one}>
          {languageNames[one]}
        </MenuItem>
      ))}
    </Menu>
  );
}
