import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, ButtonLink } from '../../components/button.tsx';
import { AmountField } from '../../components/forms/amount-field.tsx';
import { ComboBox, Select } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { numberIn } from '../../components/forms/form-values.ts';
import { Page } from '../../components/layout/page.tsx';
import { FieldRow } from '../../components/layout/sections.tsx';
import { Loaded } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { useClients } from './choices.ts';
import { type Lists, noLists } from './edit/draft.ts';
import { ListFields } from './edit/list-fields.tsx';
import { priorities } from './list-query.ts';
import { useTexts } from './texts.ts';
import styles from './tickets.module.css';
import { type NewTicket, useCreateTicket } from './tickets.ts';
import { UploadFiles } from './uploads/upload-files.tsx';
import { type Uploads, useUploads } from './uploads/use-uploads.ts';

export function NewTicketPage() {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const create = useCreateTicket();
  const { company } = useSession();
  const [lists, setLists] = useState(noLists);
  const uploads = useUploads();
  const [created, setCreated] = useState<string | null>(null);
  const isClient = company.kind === 'client';
  /** The ticket first; then its files, some of which may fail. */
  const send = useMutation({
    mutationFn: async (body: NewTicket) => {
      const id = await create.mutateAsync(body);
      announce(texts.created_(body.title));
      return { id, areAllSent: await uploads.send({ path: `/api/v3.0/tickets/${id}/documents` }) };
    },
    onSuccess: ({ id, areAllSent }) => (areAllSent ? navigate(`/tickets/${id}`) : setCreated(id)),
  });
  if (created !== null) return <FilesLeft ticketId={created} uploads={uploads} />;
  return (
    <Page title={texts.add} isNarrow>
      <Form
        submit={texts.create}
        sending={send}
        onSubmit={(values) => send.mutate(ticketIn(values, lists))}
        cancelTo="/tickets"
      >
        {!isClient && <ClientField />}
        <Field label={texts.ticketTitle} name="title" maxLength={200} isRequired />
        <Field label={texts.description} name="description" isArea maxLength={10_000} />
        <FieldRow>
          <Select
            label={texts.priority}
            name="priority"
            options={priorities.map((id) => ({ id, text: texts.priorities[id] }))}
            defaultValue="none"
          />
          {isClient && <AmountField label={texts.threshold} name="price_threshold" hint={texts.thresholdHint} />}
        </FieldRow>
        {isClient && (
          <FieldRow>
            <ListFields values={lists} onChange={(change) => setLists({ ...lists, ...change })} />
          </FieldRow>
        )}
        <UploadFiles label={texts.files} isOptional uploads={uploads} />
      </Form>
    </Page>
  );
}

/** The ticket is there, but some of its files are not. */
function FilesLeft({ ticketId, uploads }: { ticketId: string; uploads: Uploads }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const send = useMutation({
    mutationFn: () => uploads.send({ path: `/api/v3.0/tickets/${ticketId}/documents` }),
    onSuccess: (areAllSent) => areAllSent && navigate(`/tickets/${ticketId}`),
  });
  return (
    <Page title={texts.add} intro={texts.filesLeft} isNarrow>
      <UploadFiles label={texts.files} uploads={uploads} />
      <div className={styles['buttons']}>
        <ButtonLink href={`/tickets/${ticketId}`}>{texts.toTicket}</ButtonLink>
        <Button variant="primary" isPending={send.isPending} onPress={() => send.mutate()}>
          {texts.sendAgain}
        </Button>
      </div>
    </Page>
  );
}

/** A contractor creates tickets for the clients that have it in their directory. */
function ClientField() {
  const texts = useTexts();
  return (
    <Loaded query={useClients()} rows={1}>
      {(clients) => (
        <ComboBox
          label={texts.client}
          name="client_id"
          isRequired
          options={clients.map(({ _id, name }) => ({ id: _id, text: name ?? _id }))}
          {...(clients.length === 1 && clients[0] && { defaultSelectedKey: clients[0]._id })}
          {...(clients.length === 0 && { hint: texts.noClients })}
        />
      )}
    </Loaded>
  );
}

/** The input of the form. Missing fields are not checked here: the API names them. */
function ticketIn(values: FormData, lists: Lists): NewTicket {
  const description = textOf(values, 'description');
  const client = textOf(values, 'client_id');
  const threshold = numberIn(values, 'price_threshold');
  const chosen = Object.entries(lists).filter(([, ids]) => ids.length > 0);
  const priority = priorities.find((one) => one === textOf(values, 'priority'));
  return {
    title: textOf(values, 'title') as string,
    ...(description !== undefined && { description }),
    ...(client !== undefined && { client_id: client }),
    ...(threshold !== null && { price_threshold: threshold }),
    ...Object.fromEntries(chosen),
    ...(priority && { priority }),
  };
}
