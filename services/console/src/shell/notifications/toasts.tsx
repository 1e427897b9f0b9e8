import { X } from 'lucide-react';
import { createPortal } from 'react-dom';
import { Button } from '../../components/button.tsx';
import { ErrorText } from '../../components/error-text.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { type Action, dismiss, undoAction, useToasts } from '../../session/actions.ts';
import styles from '../shell.module.css';

/**
 * The toasts. The region is always in the page: screen readers do not announce one that appears together with its
 * text.
 */
export function Toasts() {
  const toasts = useToasts();
  // Rendered outside the page, so that an action in a dialog can be undone while the dialog covers the page.
  return createPortal(
    <div role="status" className={styles['toasts']} data-screen data-react-aria-top-layer="true">
      {toasts.map((action) => (
        <Toast key={action.id} action={action} />
      ))}
    </div>,
    document.body,
  );
}

function Toast({ action }: { action: Action }) {
  const texts = useFrameTexts();
  return (
    <div className={styles['toast']}>
      <span className={styles['toastText']}>{action.text}</span>
      <UndoButton action={action} />
      <Button variant="quiet" isIcon aria-label={texts.close} onPress={() => dismiss(action.id)}>
        <X size={14} aria-hidden="true" />
      </Button>
    </div>
  );
}

/** The button that undoes an action; nothing if that is impossible. */
export function UndoButton({ action }: { action: Action }) {
  const texts = useFrameTexts();
  if (!action.undo || action.state === 'undone') return null;
  return (
    <>
      {action.error !== undefined && (
        <span className={styles['toastError']}>
          <ErrorText error={action.error} />
        </span>
      )}
      <Button
        isPending={action.state === 'undoing'}
        aria-keyshortcuts="z"
        onPress={() => void undoAction(action.id, texts.undone)}
      >
        {texts.undo}
      </Button>
    </>
  );
}
