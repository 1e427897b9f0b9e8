import { Camera, FileUp } from 'lucide-react';
import { type ChangeEvent, type ReactNode, useId, useRef } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { Optional } from '../../../components/forms/field.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';

type Props = {
  label: string;
  isOptional: boolean;
  /** What the button says that opens the disk. */
  choose: string;
  multiple?: boolean;
  onChoose: (files: FileList | null) => void;
  children: ReactNode;
};

/** PDFs and pictures from the disk, or photos taken now: a phone opens its camera for them. */
export function FilePicker({ label, isOptional, choose, multiple = false, onChoose, children }: Props) {
  const texts = useTexts();
  const id = useId();
  const chosen = useRef<HTMLInputElement>(null);
  const photo = useRef<HTMLInputElement>(null);
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onChoose(target.files);
    // So that the same file can be chosen again.
    target.value = '';
  };
  const shared = { type: 'file', hidden: true, multiple, tabIndex: -1, onChange: take } as const;
  return (
    <Group aria-labelledby={id} className={styles['upload'] as string}>
      <span id={id} className={styles['uploadLabel']}>
        {label}
        {isOptional && <Optional />}
      </span>
      <input {...shared} ref={chosen} accept="application/pdf,image/png,image/jpeg,image/webp" aria-label={choose} />
      <input {...shared} ref={photo} accept="image/png,image/jpeg" capture="environment" aria-label={texts.takePhoto} />
      <div className={styles['buttons']}>
        <Button onPress={() => photo.current?.click()}>
          <Camera size={15} aria-hidden="true" />
          {texts.takePhoto}
        </Button>
        <Button onPress={() => chosen.current?.click()}>
          <FileUp size={15} aria-hidden="true" />
          {choose}
        </Button>
      </div>
      {children}
    </Group>
  );
}
