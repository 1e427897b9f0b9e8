import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../components/button.tsx';
import { Badge } from '../../../components/data-display/badge.tsx';
import { DateTime } from '../../../components/data-display/values.tsx';
import { RadioGroup } from '../../../components/forms/choice.tsx';
import { textOf } from '../../../components/forms/form.tsx';
import { FormSheet } from '../../../components/overlays/form-sheet.tsx';
import { Loaded } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import type { Ticket } from '../list-query.ts';
import { Section } from '../section.tsx';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { refreshTicket, type TicketDocument, useDocuments } from '../tickets.ts';
import { UploadFiles } from '../uploads/upload-files.tsx';
import { useUploads } from '../uploads/use-uploads.ts';
import { DownloadButton } from './download-button.tsx';

type Shown = { key: string; name: string; kind: string; at: string | null; isInternal: boolean };

/** Documents and reports, each with its download. */
export function DocumentsSection({ ticket }: { ticket: Ticket }) {
  const texts = useTexts();
  const [isAdding, setAdding] = useState(false);
  const add = <Button onPress={() => setAdding(true)}>{texts.addDocument}</Button>;
  return (
    <Section id="documents" title={texts.documents} actions={add}>
      <Loaded query={useDocuments(ticket._id)} rows={1}>
        {(documents) => <Files ticketId={ticket._id} files={filesOf(ticket, documents)} />}
      </Loaded>
      {isAdding && <AddDocuments ticket={ticket} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function filesOf({ reports }: Ticket, documents: TicketDocument[]): Shown[] {
  return [
    ...reports.map(({ s3_key: key, name, added_at: at }) => ({
      key,
      name,
      kind: 'report',
      at,
      isInternal: false,
    })),
    ...documents.map(({ s3_key: key, name, kind, added_at: at, visibility }) => {
      return { key, name, kind, at, isInternal: visibility === 'internal' };
    }),
  ];
}

function Files({ ticketId, files }: { ticketId: string; files: Shown[] }) {
  const texts = useTexts();
  if (files.length === 0) return <p className={styles['small']}>{texts.noDocuments}</p>;
  return (
    <ul aria-label={texts.documents} className={styles['items']}>
      {files.map((file) => (
        <FileItem key={file.key} ticketId={ticketId} file={file} />
      ))}
    </ul>
  );
}

function FileItem({ ticketId, file }: { ticketId: string; file: Shown }) {
  const texts = useTexts();
  const words: Record<string, string> = texts.documentKinds;
  return (
    <li className={styles['item']}>
      <span data-paper={file.name} />
      <DownloadButton ticketId={ticketId} s3Key={file.key} name={file.name} />
      <span className={styles['small']}>{words[file.kind] ?? file.kind}</span>
      {file.isInternal && <Badge family="warning">{texts.visibility.internal}</Badge>}
      {file.at && (
        <span className={styles['small']}>
          <DateTime value={file.at} />
        </span>
      )}
    </li>
  );
}

function AddDocuments({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const texts = useTexts();
  const uploads = useUploads();
  const [kind, setKind] = useState('document');
  const add = useMutation({
    mutationFn: (values: FormData) => uploads.send(targetOf(ticket._id, values)),
    onSettled: () => refreshTicket(ticket._id),
  });
  const submit = (values: FormData) =>
    add.mutate(values, {
      onSuccess: (areAllSent) => {
        if (!areAllSent) return;
        announce(texts.documentAdded(uploads.all.map(({ file }) => file.name).join(', ')));
        onClose();
      },
    });
  const isNothing = uploads.all.every(({ state }) => state === 'sent');
  const kinds = (['document', 'report'] as const).map((id) => ({ id, text: texts.documentKinds[id] }));
  const visible = (['shared', 'internal'] as const).map((id) => ({ id, text: texts.visibility[id] }));
  return (
    <FormSheet
      title={texts.addDocument}
      onClose={onClose}
      submit={texts.add_}
      isDisabled={isNothing}
      sending={add}
      onSubmit={submit}
    >
      <UploadFiles label={texts.files} uploads={uploads} />
      <RadioGroup label={texts.kind} name="kind" look="row" options={kinds} value={kind} onChange={setKind} />
      {kind === 'document' && (
        <RadioGroup label={texts.visibleTo} name="visibility" look="row" options={visible} defaultValue="shared" />
      )}
    </FormSheet>
  );
}

function targetOf(ticketId: string, values: FormData) {
  const isReport = textOf(values, 'kind') === 'report';
  const visibility = textOf(values, 'visibility');
  return {
    path: `/api/v3.0/tickets/${ticketId}/${isReport ? 'reports' : 'documents'}`,
    ...(!isReport && visibility !== undefined && { fields: { visibility } }),
  };
}
