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
import { useFrameTexts } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { useClients } from './choices.ts';
import { type Lists, noLists } from './edit/draft.ts';
import { ListFields } from './edit/list-fields.tsx';
import { priorities } from './list-query.ts';
import { useTexts } from './texts.ts';
import { type NewTicket, useCreateTicket } from './tickets.ts';

export function NewTicketPage() {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [, navigate] = useLocation();
  const create = useCreateTicket();
  const { company } = useSession();
  const [lists, setLists] = useState(noLists);
  const isClient = company.kind === 'client';
  const submit = (values: FormData) => {
    const body = ticketIn(values, lists);
    create.mutate(body, {
      onSuccess: (id) => {
        announce(texts.created_(body.title));
        navigate(`/tickets/${id}`);
      },
    });
  };
  const actions = (
    <>
      <ButtonLink href="/tickets">{frame.cancel}</ButtonLink>
      <Button type="submit" variant="primary" isPending={create.isPending}>
        {texts.create}
      </Button>
    </>
  );
  return (
    <Page title={texts.add} isNarrow>
      <Form error={create.error} onSubmit={submit} actions={actions}>
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
      </Form>
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
