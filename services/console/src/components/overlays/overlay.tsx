import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import { classes } from '../classes.ts';
import { Field } from '../forms/field.tsx';
import { ErrorNote } from '../states.tsx';
import { afterFocusRestored } from './after-focus-restored.ts';
import styles from './overlay.module.css';

type OverlayProps = {
  title: string;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
  children: ReactNode;
  /** Only its own buttons close it: for secrets that are shown once. */
  isKept?: boolean;
  /** `full`: as large as the window. */
  width?: 'normal' | 'wide' | 'full';
};

type Shape = { sheet?: boolean };

function Overlay({ title, children, isKept = false, width = 'normal', sheet = false, ...open }: OverlayProps & Shape) {
  const texts = useFrameTexts();
  const modal = useRef<HTMLDivElement>(null);
  const className = classes(styles['modal'], sheet && styles['sheet'], width !== 'normal' && styles[width]);
  return (
    <ModalOverlay
      {...open}
      isDismissable={!isKept}
      // A press beside a form does not close it: that would lose what was entered.
      shouldCloseOnInteractOutside={() => !modal.current?.querySelector('form')}
      isKeyboardDismissDisabled={isKept}
      className={styles['backdrop'] as string}
    >
      <Modal ref={modal} className={className}>
        <AriaDialog className={styles['dialog'] as string}>
          <FocusAfter />
          <div className={styles['head']}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {!isKept && (
              <div className={styles['close']}>
                <Button variant="quiet" isIcon aria-label={texts.close} onPress={() => open.onOpenChange(false)}>
                  <X size={16} aria-hidden="true" />
                </Button>
              </div>
            )}
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/**
 * When the dialog closes, what opened it gets the focus back. If that is gone, for instance the row
 * of what was deleted, the focus goes to the page: otherwise it would be lost, and Tab would begin
 * at the side bar again.
 */
function FocusAfter() {
  useEffect(() => {
    const take = () => {
      if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true });
    };
    // Last: code that knows a better place moves the focus there as soon as it may have come back.
    return () => void afterFocusRestored(() => requestAnimationFrame(take));
  }, []);
  return null;
}

/** A modal dialog. When it closes, the focus returns to what opened it. */
export function Dialog(props: OverlayProps) {
  return <Overlay {...props} />;
}

/** A dialog at the side, for forms about something on the page. */
export function Sheet(props: Omit<OverlayProps, 'width'>) {
  return <Overlay {...props} sheet />;
}

type AlertProps = {
  /** The action and its object: `Revoke “erp”?` */
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** The text of the button: the action. */
  confirm: string;
  /** Nothing is lost by it: the button is not red. */
  isHarmless?: boolean;
  /** What must be typed before the button is enabled: for what cannot be recovered. */
  typed?: { label: string; text: string };
  isOpen: boolean;
  /** The mutation that acts. */
  sending?: { error: unknown; isPending: boolean; reset?: () => void };
  onConfirm: () => void;
  onOpenChange: (isOpen: boolean) => void;
};

/** Asks for confirmation, mostly of what cannot be undone. */
export function AlertDialog({ isOpen, onOpenChange, ...question }: AlertProps) {
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} className={styles['backdrop'] as string}>
      <Modal className={styles['modal'] as string}>
        <AriaDialog role="alertdialog" className={styles['dialog'] as string}>
          <FocusAfter />
          <Question {...question} onCancel={() => onOpenChange(false)} />
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

type QuestionProps = Omit<AlertProps, 'isOpen' | 'onOpenChange'> & { onCancel: () => void };

function Question(props: QuestionProps) {
  const { title, children, confirm, isHarmless = false, typed, sending, onConfirm, onCancel } = props;
  const texts = useFrameTexts();
  const [entered, setEntered] = useState('');
  const isTyped = !typed || entered.trim().toLowerCase() === typed.text.toLowerCase();
  return (
    <>
      <Heading slot="title" level={2}>
        {title}
      </Heading>
      <div className={styles['text']}>{children}</div>
      {typed && (
        <Field
          label={typed.label}
          hint={typed.text}
          value={entered}
          onChange={setEntered}
          autoComplete="off"
          spellCheck="false"
          autoFocus
        />
      )}
      <ErrorNote error={sending?.error} />
      <div className={styles['actions']}>
        <Button autoFocus={!typed} onPress={onCancel}>
          {texts.cancel}
        </Button>
        <Button
          variant={isHarmless ? 'primary' : 'danger'}
          isDisabled={!isTyped}
          isPending={sending?.isPending ?? false}
          onPress={onConfirm}
        >
          {confirm}
        </Button>
      </div>
    </>
  );
}
