import { Camera, FileUp } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Group } from 'react-aria-components';
import { FileButton } from '../../../components/file-button.tsx';
import { Optional } from '../../../components/forms/field.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';

type Props = {
  label: string;
  isOptional: boolean;
  /** What the button says that opens the disk. */
  choose: string;
  multiple?: boolean;
  onChoose: (files: FileList) => void;
  children: ReactNode;
};

/** PDFs and pictures from the disk, or photos taken now: a phone opens its camera for them. */
export function FilePicker({ label, isOptional, choose, multiple = false, onChoose, children }: Props) {
  const texts = useTexts();
  const id = useId();
  return (
    <Group aria-labelledby={id} className={styles['upload'] as string}>
      <span id={id} className={styles['uploadLabel']}>
        {label}
        {isOptional && <Optional />}
      </span>
      <div className={styles['buttons']}>
        <FileButton
          label={texts.takePhoto}
          icon={<Camera size={15} aria-hidden="true" />}
          input={{ accept: 'image/png,image/jpeg', capture: 'environment', multiple }}
          onChoose={onChoose}
        />
        <FileButton
          label={choose}
          icon={<FileUp size={15} aria-hidden="true" />}
          input={{ accept: 'application/pdf,image/png,image/jpeg,image/webp', multiple }}
          onChoose={onChoose}
        />
      </div>
      {children}
    </Group>
  );
}
