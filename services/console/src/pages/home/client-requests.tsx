import { useMutation, useQuery } from '@tanstack/react-query';
import { call, tickets } from '../../api/client.ts';
import { optional, queryClient } from '../../api/query.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { useTexts } from './texts.ts';

const key = ['client-requests'];

/** The clients that have named this contractor, which says whether they may share their tickets with it. */
export function ClientRequests() {
  const texts = useTexts();
  const requests = useRequests();
  const answer = useAnswer();
  if (requests.length === 0) return null;
  const say = (contractor_id: string, client: string, accept: boolean) =>
    answer.mutate(
      { contractor_id, accept },
      { onSuccess: () => announce(accept ? texts.requestAccepted(client) : texts.requestDeclined(client)) },
    );
  return (
    <Section title={texts.requests} hint={texts.requestsHint}>
      <ErrorNote error={answer.error} />
      <DataTable
        label={texts.requests}
        items={requests}
        keyOf={({ contractor_id }) => contractor_id}
        columns={[
          { title: texts.requestClient, kind: 'header', cell: ({ client }) => client.name },
          { title: texts.requestName, isMinor: true, cell: ({ name }) => name },
          {
            title: texts.actions,
            kind: 'actions',
            cell: ({ contractor_id, client }) =>
              ([true, false] as const).map((accept) => (
                <Button
                  key={String(accept)}
                  variant={accept ? 'primary' : 'quiet'}
                  aria-label={texts.actionOn(accept ? texts.requestAccept : texts.requestDecline, client.name ?? '')}
                  isDisabled={answer.isPending}
                  onPress={() => say(contractor_id, client.name ?? '', accept)}
                >
                  {accept ? texts.requestAccept : texts.requestDecline}
                </Button>
              )),
          },
        ]}
      />
    </Section>
  );
}

function useRequests() {
  const session = useSession();
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await call(tickets.GET('/api/v3.0/clients/requests', { signal }))).requests,
    enabled: session.company.kind === 'contractor' && may(session, 'tickets'),
    ...optional,
  });
  return data ?? [];
}

function useAnswer() {
  return useMutation({
    mutationFn: ({ contractor_id, accept }: { contractor_id: string; accept: boolean }) => {
      const params = { path: { contractor_id } };
      const path = '/api/v3.0/clients/requests/{contractor_id}';
      return call(accept ? tickets.PUT(path, { params }) : tickets.DELETE(path, { params }));
    },
    // The tickets of the client are there now.
    onSuccess: () => queryClient.invalidateQueries(),
  });
}
