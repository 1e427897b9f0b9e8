import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Dialog, DialogTrigger, Popover, VisuallyHidden } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import field from '../../components/forms/field.module.css';
import { Skeleton } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import styles from './notifications.module.css';
import { useStream, useUnread } from './unread.ts';

const Panel = lazy(async () => ({ default: (await import('./panel.tsx')).Panel }));

const mostShown = 99;

/** How many notifications are unread, and the newest of them. */
export function Bell() {
  const texts = useFrameTexts();
  const unread = useUnread();
  useStream();
  const label = unread ? texts.unreadNotifications(unread) : texts.notifications;
  return (
    <DialogTrigger>
      <Button variant="quiet" isIcon aria-label={label}>
        <span className={styles['bell']} aria-hidden="true">
          <BellIcon size={18} />
          {unread ? <span className={styles['count']}>{unread > mostShown ? `${mostShown}+` : unread}</span> : null}
        </span>
      </Button>
      <Grown unread={unread} text={label} />
      <Popover placement="bottom start" className={classes(field['popover'], styles['panel'])}>
        <Dialog aria-label={texts.notifications} className={styles['dialog'] as string}>
          {({ close }) => (
            <Suspense fallback={<Skeleton rows={3} />}>
              <Panel onLeave={close} />
            </Suspense>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

/** Tells screen readers when there are more than before. The region is always in the page, as that of the toasts. */
function Grown({ unread, text }: { unread: number | undefined; text: string }) {
  const before = useRef(unread);
  const [said, say] = useState('');
  useEffect(() => {
    if (unread === undefined || unread === before.current) return;
    if (before.current !== undefined) say(unread > before.current ? text : '');
    before.current = unread;
  }, [unread, text]);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{said}</span>
    </VisuallyHidden>
  );
}
