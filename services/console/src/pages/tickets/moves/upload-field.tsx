import { Camera, FileUp } from 'lucide-react';
import { type ChangeEvent, useId, useRef, useState } from 'react';
import { Group } from 'react-aria-components';
import { fieldErrors } from '../../../api/errors.ts';
import { Button } from '../../../components/button.tsx';
import { FaultText } from '../../../components/error-text.tsx';
import { Optional } from '../../../components/forms/field.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';

type Props = {
  label: string;
  isOptional?: boolean;
  file: File | null;
  onChange: (file: File | null) => void;
  error?: unknown;
};

/** A PDF or picture from the disk, or a photo taken now: a phone opens its camera for that. */
export function UploadField({ label, isOptional = false, file, onChange, error }: Props) {
  const texts = useTexts();
  const id = useId();
  const chosen = useRef<HTMLInputElement>(null);
  const photo = useRef<HTMLInputElement>(null);
  const [faults, setFaults] = useState<unknown>(null);
  const fault = faults === error ? undefined : fieldErrors(error)['file']?.[0];
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    setFaults(error);
    onChange(target.files?.[0] ?? null);
    // So that the same file can be chosen again.
    target.value = '';
  };
  const shared = { type: 'file', hidden: true, tabIndex: -1, onChange: take } as const;
  return (
    <Group aria-labelledby={id} className={styles['upload'] as string}>
      <span id={id} className={styles['uploadLabel']}>
        {label}
        {isOptional && <Optional />}
      </span>
      <input {...shared} ref={chosen} accept="application/pdf,image/png,image/jpeg" aria-label={texts.chooseFile} />
      <input {...shared} ref={photo} accept="image/png,image/jpeg" capture="environment" aria-label={texts.takePhoto} />
      <div className={styles['buttons']}>
        <Button onPress={() => photo.current?.click()}>
          <Camera size={15} aria-hidden="true" />
          {texts.takePhoto}
        </Button>
        <Button onPress={() => chosen.current?.click()}>
          <FileUp size={15} aria-hidden="true" />
          {texts.chooseFile}
        </Button>
      </div>
      <div role="status" className={styles['small']}>
        {file ? file.name : texts.fileHint}
      </div>
      {fault && (
        <div className={styles['fault']}>
          <FaultText said={fault} />
        </div>
      )}
    </Group>
  );
}
