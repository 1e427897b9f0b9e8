import type { TsSchemas } from '@app/api-client';
import { useMutation } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { queryClient } from '../../api/query.ts';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { browserName } from './browser-name.ts';
import { sessionsKey } from './sessions-key.ts';
import { useTexts } from './texts.ts';

type OwnSession = TsSchemas['Session'];

export function Sessions() {
  const texts = useTexts();
  const list = useSessions();
  const end = useEndSession(texts.ended);
  const nameOf = ({ user_agent }: OwnSession) => browserName(user_agent) ?? texts.unknown;
  return (
    <Section title={texts.sessions} hint={texts.sessionsHint} actions={<SignOutEverywhere />}>
      <ErrorNote error={end.error} />
      <Paged list={list} empty={null}>
        {(sessions) => (
          <DataTable
            label={texts.sessions}
            items={sessions}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.browser, kind: 'header', cell: nameOf },
              { title: texts.address, isMinor: true, cell: ({ address }) => address ?? texts.unknown },
              { title: texts.since, cell: ({ created_at }) => created_at && <DateTime value={created_at} /> },
              { title: texts.until, isMinor: true, cell: ({ expires_at }) => <DateTime value={expires_at} /> },
              {
                title: texts.actions,
                kind: 'actions',
                cell: (session) =>
                  session.current ? (
                    <Badge family="success">{texts.here}</Badge>
                  ) : (
                    <Button
                      variant="quiet"
                      aria-label={texts.endNamed(nameOf(session))}
                      onPress={() => end.mutate(session.id)}
                    >
                      {texts.end}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Paged>
    </Section>
  );
}

function SignOutEverywhere() {
  const texts = useTexts();
  const end = useMutation({
    mutationFn: () => call(ts.DELETE('/auth/sessions')),
    onSuccess: () => location.assign('/console/login'),
  });
  return (
    <ConfirmButton
      title={texts.everywhereTitle}
      confirm={texts.everywhere}
      sending={end}
      onConfirm={() => end.mutate()}
    >
      {texts.everywhereHint}
    </ConfirmButton>
  );
}

function useSessions() {
  return usePages({
    key: sessionsKey,
    read: (cursor, signal) => pageOf(ts.GET('/auth/sessions', { params: { query: pageQuery(cursor) }, signal })),
  });
}

function useEndSession(said: string) {
  return useMutation({
    mutationFn: (id: string) => call(ts.DELETE('/auth/sessions/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sessionsKey });
      announce(said);
    },
  });
}
