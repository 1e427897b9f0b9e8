import { useLocation } from 'wouter';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ComboBox, Select } from '../../components/forms/choice.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { useClients, useLocations } from './choices.ts';
import { priorities } from './list/views.ts';
import { useTexts } from './texts.ts';
import { type NewTicket, useCreateTicket } from './tickets.ts';

export function NewTicketPage() {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [, navigate] = useLocation();
  const create = useCreateTicket();
  const { company } = useSession();
  const submit = (values: FormData) => {
    const body = ticketIn(values);
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
        {company.kind === 'contractor' && <ClientField />}
        <Field label={texts.ticketTitle} name="title" maxLength={200} autoFocus />
        <Field label={texts.description} name="description" isArea maxLength={10_000} />
        {company.kind === 'client' && <PlaceField />}
        <Select
          label={texts.priority}
          name="priority"
          options={priorities.map((id) => ({ id, text: texts.priorities[id] }))}
          defaultValue="none"
        />
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
          options={clients.map(({ _id, name }) => ({ id: _id, text: name ?? _id }))}
          {...(clients.length === 1 && clients[0] && { defaultSelectedKey: clients[0]._id })}
          {...(clients.length === 0 && { hint: texts.noClients })}
        />
      )}
    </Loaded>
  );
}

function PlaceField() {
  const texts = useTexts();
  const { data: locations = [] } = useLocations();
  return (
    <ComboBox
      key={locations.length}
      label={texts.place}
      name="location_ids"
      options={locations.map(({ _id, name }) => ({ id: _id, text: name ?? _id }))}
    />
  );
}

/** The input of the form. Missing fields are not checked here: the API names them. */
function ticketIn(values: FormData): NewTicket {
  const description = textOf(values, 'description');
  const client = textOf(values, 'client_id');
  const location = textOf(values, 'location_ids');
  const priority = priorities.find((one) => one === textOf(values, 'priority'));
  return {
    title: textOf(values, 'title') as string,
    ...(description !== undefined && { description }),
    ...(client !== undefined && { client_id: client }),
    ...(location !== undefined && { location_ids: [location] }),
    ...(priority && { priority }),
  };
}
