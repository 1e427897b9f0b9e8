import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, tickets } from '../../../api/client.ts';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { announce } from '../../../session/actions.ts';
import { form } from '../moves/send-move.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { refreshTicket } from '../tickets.ts';
import { UploadField } from '../uploads/upload-field.tsx';
import type { Purchase } from './purchase-input.ts';
import { purchasePath } from './purchase-sheet.tsx';

/** A file for a purchase document. The one before stays among the documents of the ticket. */
export function AttachFile({ purchase, onClose }: { purchase: Purchase; onClose: () => void }) {
  const texts = useTexts();
  const [file, setFile] = useState<File | null>(null);
  const attach = useMutation({
    mutationFn: () => {
      const path = '/api/v3.0/tickets/{ticket_id}/purchases/{purchase_id}/document';
      return call(tickets.POST(path, { ...purchasePath(purchase), ...form({ file }) }));
    },
    onSettled: () => refreshTicket(purchase.ticket_id),
  });
  const submit = () =>
    attach.mutate(undefined, {
      onSuccess: () => {
        announce(texts.fileAttached(purchase.reference));
        onClose();
      },
    });
  return (
    <FormSheet
      title={texts.attachTo(purchase.reference)}
      onClose={onClose}
      submit={texts.attach}
      isDisabled={!file}
      sending={attach}
      onSubmit={submit}
    >
      <UploadField label={texts.file} file={file} onChange={setFile} error={attach.error} />
      {purchase.kind === 'purchase_order' && <p className={styles['small']}>{texts.sharedWithSupplier}</p>}
      {purchase.document_id !== null && <p className={styles['small']}>{texts.replacesFile}</p>}
    </FormSheet>
  );
}
