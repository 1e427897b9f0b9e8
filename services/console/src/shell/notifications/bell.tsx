import { Bell as BellIcon } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Dialog, DialogTrigger, Popover, VisuallyHidden } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import field from '../../components/forms/field.module.css';
import overlay from '../../components/overlays/overlay.module.css';
import { useFrameTexts } from '../../i18n/locale.tsx';
import styles from './notifications.module.css';
import { useStream, useUnread } from './unread.ts';

const Panel = lazy(async () => ({ default: (await import('./notification-list.tsx')).Panel }));

/** How many notifications are unread, and the newest of them. */
export function Bell() {
  const texts = useFrameTexts();
  const unread = useUnread();
  useStream(unread !== undefined);
  const label = unread ? texts.unreadNotifications(unread) : texts.notifications;
  return (
    <DialogTrigger>
      <Button variant="quiet" isIcon aria-label={label}>
        <span className={styles['bell']} aria-hidden="true">
          <BellIcon size={18} />
          {unread ? <span className={styles['count']}>{unread > 99 ? '99+' : unread}</span> : null}
        </span>
      </Button>
      <VisuallyHidden>
        <span aria-live="polite">{unread ? label : ''}</span>
      </VisuallyHidden>
      <Popover placement="bottom start" className={classes(field['popover'], styles['panel'])}>
        <Dialog aria-label={texts.notifications} className={overlay['dialog'] as string}>
          {({ close }) => (
            <Suspense>
              <Panel onLeave={close} />
            </Suspense>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
