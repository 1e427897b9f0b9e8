import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { call, ts } from '../../../api/client.ts';
import { ApiError, fieldErrors } from '../../../api/errors.ts';
import { queryClient } from '../../../api/query.ts';
import { FaultText } from '../../../components/error-text.tsx';
import { FileButton } from '../../../components/file-button.tsx';
import { FormActions } from '../../../components/forms/form-actions.tsx';
import overlay from '../../../components/overlays/overlay.module.css';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import type { KindName } from '../kinds.ts';
import { useTexts } from '../texts.ts';
import styles from './import.module.css';
import { ImportPreview } from './import-preview.tsx';

/** A file that is not UTF-8: an older Excel writes the code page of Windows. */
class NotUtf8 extends Error {
  override readonly name = 'NotUtf8';
}

/** @throws NotUtf8 */
async function readText(file: File): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) throw new NotUtf8();
    throw error;
  }
}

export type ImportedKind = 'locations' | 'equipments' | 'contractor_fields' | 'ticket_fields';

/** What the tab of each kind imports; the others are short lists. */
export const importedBy: Partial<Record<KindName, readonly ImportedKind[]>> = {
  locations: ['locations'],
  equipments: ['equipments'],
  'custom-fields': ['contractor_fields', 'ticket_fields'],
};

/** The first part of the keys of the queries that an import changes. */
const queriesOf = {
  locations: 'settings',
  equipments: 'settings',
  contractor_fields: 'contractors',
  ticket_fields: 'tickets',
} as const;

type Props = { kind: ImportedKind; onClose: () => void };

/** Chooses a file, shows what it would change, and imports it: all of it or nothing. */
export function ImportDialog({ kind, onClose }: Props) {
  const texts = useTexts();
  const { preview, apply } = useImport({ kind, onClose });
  const { data } = preview;
  const count = data ? data.counts.created + data.counts.changed : 0;
  return (
    <Dialog title={texts.importTitles[kind]} isOpen width="wide" onOpenChange={(isOpen) => !isOpen && onClose()}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (data?.preview) apply.mutate({ csv: data.csv, preview: data.preview });
        }}
      >
        <p className={styles['hint']}>{texts.importHints[kind]}</p>
        <ChooseFile name={preview.variables?.name ?? null} onChoose={(file) => preview.mutate(file)} />
        <ImportError error={preview.error} />
        {data && <ImportPreview preview={data} />}
        <ImportError error={apply.error} />
        <div className={overlay['actions']}>
          <FormActions
            onCancel={onClose}
            submit={count > 0 && data?.preview ? texts.importRows(count) : texts.import}
            isPending={apply.isPending || preview.isPending}
            isDisabled={!data?.preview || count === 0}
          />
        </div>
      </form>
    </Dialog>
  );
}

function useImport({ kind, onClose }: Props) {
  const texts = useTexts();
  const preview = useMutation({
    mutationFn: async (file: File) => {
      const csv = await readText(file);
      return { csv, ...(await call(ts.POST('/imports/preview', { body: { kind, csv } }))) };
    },
  });
  const apply = useMutation({
    mutationFn: (seen: { csv: string; preview: string }) => call(ts.POST('/imports', { body: { kind, ...seen } })),
    onSuccess: async ({ created, changed }) => {
      await queryClient.invalidateQueries({ queryKey: [queriesOf[kind]] });
      onClose();
      announce(texts.imported(created, changed));
    },
    onError: (error) => {
      // Somebody was quicker: the same file, as it would change things now.
      if (error instanceof ApiError && error.status === 409 && preview.variables) preview.mutate(preview.variables);
    },
  });
  return { preview, apply };
}

type ChooseProps = { name: string | null; onChoose: (file: File) => void };

function ChooseFile({ name, onChoose }: ChooseProps) {
  const texts = useTexts();
  return (
    <div className={styles['choose']}>
      <FileButton
        label={texts.chooseCsv}
        icon={<FileUp size={15} aria-hidden="true" />}
        input={{ accept: '.csv,text/csv' }}
        autoFocus
        onChoose={([file]) => file && onChoose(file)}
      />
      <span>{name}</span>
    </div>
  );
}

/** What is wrong with the file as a whole, or why nothing was imported. */
function ImportError({ error }: { error: unknown }) {
  const texts = useTexts();
  if (error instanceof NotUtf8) return <ErrorNote error={error} text={texts.notUtf8} />;
  const [said] = fieldErrors(error)['csv'] ?? [];
  if (said === undefined) return <ErrorNote error={error} faultsAreElsewhere={false} />;
  return (
    <p role="alert" className={styles['fault']}>
      {texts.theFile} <FaultText said={said} />
    </p>
  );
}
