import { History } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-aria-components';
import { Button } from '../../components/button.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { Sheet } from '../../components/overlays/overlay.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { type Action, keepActions, useActions } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import styles from '../shell.module.css';
import { UndoButton } from './toasts.tsx';

/** The actions of this session, which can still be undone when their toast has gone. */
export function MyActions() {
  const texts = useFrameTexts();
  const actions = useActions();
  const { user } = useSession();
  useEffect(() => keepActions(user.id), [user.id]);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="quiet" aria-label={texts.myActions} onPress={() => setOpen(true)}>
        <History size={16} aria-hidden="true" />
        <span className={styles['wide']}>{texts.myActions}</span>
      </Button>
      <Sheet title={texts.myActions} isOpen={isOpen} onOpenChange={setOpen}>
        {actions.length === 0 && <p className={styles['muted']}>{texts.noActions}</p>}
        <ul>
          {actions.map((action) => (
            <li key={action.id} className={styles['action']}>
              <span className={action.state === 'undone' ? styles['struck'] : undefined}>
                <What action={action} onLeave={() => setOpen(false)} />
                {action.about && <span className={styles['about']}>{action.about}</span>}
              </span>
              <span className={styles['muted']}>
                <DateTime value={action.at} />
              </span>
              <UndoButton action={action} />
            </li>
          ))}
        </ul>
      </Sheet>
    </>
  );
}

function What({ action: { text, href }, onLeave }: { action: Action; onLeave: () => void }) {
  if (href === undefined) return text;
  return (
    <Link href={href} onPress={onLeave}>
      {text}
    </Link>
  );
}
