import { ButtonLink } from '../../components/button.tsx';
import { Page } from '../../components/layout/page.tsx';
import { MarkAllRead, NotificationList } from '../../shell/notifications/notification-list.tsx';
import { useTexts } from '../../shell/notifications/texts.ts';

export function NotificationsPage() {
  const texts = useTexts();
  const actions = (
    <>
      <MarkAllRead />
      <ButtonLink href="/account">{texts.settings}</ButtonLink>
    </>
  );
  return (
    <Page title={texts.notifications} actions={actions} isNarrow>
      <NotificationList />
    </Page>
  );
}
