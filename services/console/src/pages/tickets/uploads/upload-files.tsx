import { Check, X } from 'lucide-react';
import { Button } from '../../../components/button.tsx';
import { Checkbox } from '../../../components/forms/checkbox.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { FilePicker } from './file-picker.tsx';
import type { Upload, Uploads } from './use-uploads.ts';

type Props = { label: string; isOptional?: boolean; uploads: Uploads };

/** Several files, each with how far it is. */
export function UploadFiles({ label, isOptional = false, uploads }: Props) {
  const texts = useTexts();
  const hasPictures = uploads.all.some(({ file }) => file.type.startsWith('image/'));
  return (
    <FilePicker label={label} isOptional={isOptional} choose={texts.chooseFiles} multiple onChoose={uploads.add}>
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
    </FilePicker>
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
