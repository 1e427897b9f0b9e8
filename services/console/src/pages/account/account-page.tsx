import { Page } from '../../components/layout/page.tsx';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { AgendaFeed } from './agenda-feed.tsx';
import { ChangePassword } from './change-password.tsx';
import { Display } from './display.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { OwnExports } from './own-exports.tsx';
import { Profile } from './profile.tsx';
import { Sessions } from './sessions.tsx';
import { useTexts } from './texts.ts';

export function AccountPage() {
  const texts = useTexts();
  return (
    <Page title={texts.yourAccount} isNarrow>
      <Profile />
      <Display />
      <NotificationSettings />
      <ChangePassword />
      {may(useSession(), 'tickets') && <AgendaFeed />}
      <OwnExports />
      <Sessions />
    </Page>
  );
}
