import { type ReactNode, useState } from 'react';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import { Copyable } from '../data-display/values.tsx';
import { Checkbox } from '../forms/choice.tsx';
import styles from './one-time-secret.module.css';
import { Dialog } from './overlay.tsx';

type OneTimeSecretProps = {
  title: string;
  /** What it is for, and that it cannot be seen again. */
  children: ReactNode;
  /** The secret; null: the dialog is closed. */
  secret: string | null;
  onDone: () => void;
};

/** A secret that nobody can read again: the dialog stays until the user says that it is stored. */
export function OneTimeSecret({ title, children, secret, onDone }: OneTimeSecretProps) {
  const texts = useFrameTexts();
  const [isStored, setStored] = useState(false);
  const done = () => {
    setStored(false);
    onDone();
  };
  return (
    <Dialog title={title} isOpen={secret !== null} onOpenChange={() => undefined} isKept>
      <p>{children}</p>
      <div className={styles['secret']}>
        <Copyable text={secret ?? ''} name={title} />
      </div>
      <Checkbox isSelected={isStored} onChange={setStored}>
        {texts.storedIt}
      </Checkbox>
      <div className={styles['actions']}>
        <Button variant="primary" isDisabled={!isStored} onPress={done}>
          {texts.done}
        </Button>
      </div>
    </Dialog>
  );
}
