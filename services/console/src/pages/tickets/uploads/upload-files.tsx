import { Camera, Check, FileUp, X } from 'lucide-react';
import { type ChangeEvent, useId, useRef } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import { Checkbox } from '../../../components/forms/checkbox.tsx';
import { Optional } from '../../../components/forms/field.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import type { Upload, Uploads } from './use-uploads.ts';

type Props = { label: string; isOptional?: boolean; uploads: Uploads };

/** Several files from the disk, and photos that are taken now: a phone opens its camera for them. */
export function UploadFiles({ label, isOptional = false, uploads }: Props) {
  const texts = useTexts();
  const id = useId();
  const chosen = useRef<HTMLInputElement>(null);
  const photo = useRef<HTMLInputElement>(null);
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    uploads.add(target.files ?? []);
    // So that the same file can be chosen again.
    target.value = '';
  };
  const shared = { type: 'file', hidden: true, multiple: true, tabIndex: -1, onChange: take } as const;
  const hasPictures = uploads.all.some(({ file }) => file.type.startsWith('image/'));
  return (
    <Group aria-labelledby={id} className={styles['upload'] as string}>
      <span id={id} className={styles['uploadLabel']}>
        {label}
        {isOptional && <Optional />}
      </span>
      <input {...shared} ref={chosen} accept="application/pdf,image/png,image/jpeg" aria-label={texts.chooseFiles} />
      <input {...shared} ref={photo} accept="image/png,image/jpeg" capture="environment" aria-label={texts.takePhoto} />
      <div className={styles['buttons']}>
        <Button onPress={() => photo.current?.click()}>
          <Camera size={15} aria-hidden="true" />
          {texts.takePhoto}
        </Button>
        <Button onPress={() => chosen.current?.click()}>
          <FileUp size={15} aria-hidden="true" />
          {texts.chooseFiles}
        </Button>
      </div>
      <div className={styles['small']}>{texts.fileHint}</div>
      {uploads.all.length > 0 && (
        <ul aria-label={label} className={styles['items']}>
          {uploads.all.map((one) => (
            <UploadItem key={one.id} upload={one} onRemove={() => uploads.remove(one.id)} />
          ))}
        </ul>
      )}
      {hasPictures && (
        <Checkbox isSelected={uploads.isOriginal} onChange={uploads.setOriginal}>
          {texts.originalSize}
        </Checkbox>
      )}
    </Group>
  );
}

function UploadItem({ upload: { file, state, share, error }, onRemove }: { upload: Upload; onRemove: () => void }) {
  const texts = useTexts();
  return (
    <li className={styles['item']}>
      <span>{file.name}</span>
      {state === 'sending' && <progress value={share} aria-label={file.name} />}
      {state === 'sent' && (
        <span className={styles['small']}>
          <Check size={14} aria-hidden="true" /> {texts.sent}
        </span>
      )}
      {(state === 'waiting' || state === 'failed') && (
        <Button variant="quiet" isIcon aria-label={texts.removeFile(file.name)} onPress={onRemove}>
          <X size={14} aria-hidden="true" />
        </Button>
      )}
      {state === 'failed' && <ErrorNote error={error} faultsAreElsewhere={false} />}
    </li>
  );
}
