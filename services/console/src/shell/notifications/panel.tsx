import { Link } from 'react-aria-components';
import overlay from '../../components/overlays/overlay.module.css';
import { MarkAllRead, NotificationList } from './notification-list.tsx';
import { useTexts } from './texts.ts';

/** What opens at the bell. */
export function Panel({ onLeave }: { onLeave: () => void }) {
  const texts = useTexts();
  return (
    <>
      <NotificationList onOpen={onLeave} />
      <div className={overlay['actions']}>
        <Link href="/notifications" onPress={onLeave}>
          {texts.seeAll}
        </Link>
        <MarkAllRead />
      </div>
    </>
  );
}
