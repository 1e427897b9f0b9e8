import { Heading, Link } from 'react-aria-components';
import { MarkAllRead, NotificationList } from './notification-list.tsx';
import styles from './notifications.module.css';
import { useTexts } from './texts.ts';

/** What opens at the bell. */
export function Panel({ onLeave }: { onLeave: () => void }) {
  const texts = useTexts();
  return (
    <>
      <div className={styles['head']}>
        <Heading slot="title" level={2}>
          {texts.title}
        </Heading>
        <MarkAllRead />
      </div>
      <NotificationList onOpen={onLeave} />
      <div className={styles['foot']}>
        <Link href="/notifications" onPress={onLeave}>
          {texts.seeAll}
        </Link>
        <Link href="/notifications/settings" onPress={onLeave}>
          {texts.settings}
        </Link>
      </div>
    </>
  );
}
