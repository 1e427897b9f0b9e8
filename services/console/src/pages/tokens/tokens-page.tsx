import { useState } from 'react';
import { ApiDocs } from '../../components/api-docs.tsx';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ListFile, momentOf } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime, Day } from '../../components/data-display/values.tsx';
import { Page } from '../../components/layout/page.tsx';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { EmptyState } from '../../components/states.tsx';
import { announce } from '../../session/actions.ts';
import { NewToken } from './new-token.tsx';
import { useTexts } from './texts.ts';
import { type ApiToken, useRevokeToken, useTokens } from './tokens.ts';

export function TokensPage() {
  const texts = useTexts();
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const list = useTokens();
  const columns = useColumns(setRevoking);
  const actions = (
    <>
      <ListFile name={texts.tokens} columns={columns} read={list.all} />
      <ApiDocs />
      <NewToken />
    </>
  );
  return (
    <Page title={texts.tokens} intro={texts.intro} actions={actions}>
      <Paged list={list} empty={<EmptyState title={texts.empty}>{texts.emptyHint}</EmptyState>}>
        {(tokens) => <DataTable label={texts.tokens} items={tokens} keyOf={({ id }) => id} columns={columns} />}
      </Paged>
      <Revoke token={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

function useColumns(onRevoke: (token: ApiToken) => void): DataColumn<ApiToken>[] {
  const texts = useTexts();
  return [
    { title: texts.name, kind: 'header', cell: ({ name }) => name },
    {
      title: texts.begins,
      isMinor: true,
      cell: ({ prefix }) => prefix && <code>{prefix}…</code>,
      inFile: ({ prefix }) => prefix,
    },
    {
      title: texts.scopes,
      isMinor: true,
      cell: ({ scopes }) => scopes?.map((scope) => texts.scopeNames[scope]).join(', ') ?? texts.everything,
    },
    {
      title: texts.created,
      isMinor: true,
      cell: ({ created_at }) => <DateTime value={created_at} />,
      inFile: ({ created_at }) => momentOf(created_at),
    },
    {
      title: texts.lastUsed,
      isMinor: true,
      cell: ({ last_used_at }) => (last_used_at ? <Day value={last_used_at} /> : texts.never),
      inFile: ({ last_used_at }) => momentOf(last_used_at),
    },
    {
      title: texts.expires,
      cell: (token) => <Expiry token={token} />,
      inFile: ({ expires_at }) => momentOf(expires_at),
    },
    {
      title: texts.actions,
      kind: 'actions',
      cell: (token) => (
        <Button variant="quiet" aria-label={texts.revokeNamed(token.name)} onPress={() => onRevoke(token)}>
          {texts.revoke}
        </Button>
      ),
    },
  ];
}

function Expiry({ token: { expires_at } }: { token: ApiToken }) {
  const texts = useTexts();
  if (expires_at === null) return texts.never;
  if (Date.parse(expires_at) < Date.now()) return <Badge family="neutral">{texts.expired}</Badge>;
  return <DateTime value={expires_at} />;
}

function Revoke({ token, onClose }: { token: ApiToken | null; onClose: () => void }) {
  const texts = useTexts();
  const revoke = useRevokeToken();
  const confirm = () => {
    if (!token) return;
    revoke.mutate(token.id, {
      onSuccess: () => {
        onClose();
        announce(texts.revoked(token.name));
      },
    });
  };
  return (
    <AlertDialog
      title={texts.revokeTitle(token?.name ?? '')}
      confirm={texts.revoke}
      isOpen={token !== null}
      sending={revoke}
      onConfirm={confirm}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      {texts.revokeHint}
    </AlertDialog>
  );
}
