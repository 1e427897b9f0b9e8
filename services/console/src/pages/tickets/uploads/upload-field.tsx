import { useState } from 'react';
import { fieldErrors } from '../../../api/errors.ts';
import { FaultText } from '../../../components/error-text.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { FilePicker } from './file-picker.tsx';

type Props = {
  label: string;
  isOptional?: boolean;
  file: File | null;
  onChange: (file: File | null) => void;
  error?: unknown;
};

/** One file, with what the API said of it. */
export function UploadField({ label, isOptional = false, file, onChange, error }: Props) {
  const texts = useTexts();
  const [faults, setFaults] = useState<unknown>(null);
  const fault = faults === error ? undefined : fieldErrors(error)['file']?.[0];
  const take = (files: FileList) => {
    setFaults(error);
    onChange(files[0] ?? null);
  };
  return (
    <FilePicker label={label} isOptional={isOptional} choose={texts.chooseFile} onChoose={take}>
      <div role="status" className={styles['small']}>
        {file ? file.name : texts.fileHint}
      </div>
      {fault && (
        <div className={styles['fault']}>
          <FaultText said={fault} />
        </div>
      )}
    </FilePicker>
  );
}
