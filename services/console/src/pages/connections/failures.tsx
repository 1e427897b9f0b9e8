import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ListFile, momentOf } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { ProviderErrorText, useProviderErrorWords } from '../../components/provider-error-text.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { type Failure, useDismiss, useFailures, useRetry } from './connections.ts';
import { useTexts } from './texts.ts';

/** Invoices that were given up, each to be tried again or dismissed. */
export function Failures({ connectionId }: { connectionId: string }) {
  const texts = useTexts();
  const list = useFailures(connectionId);
  const retry = useRetry(connectionId);
  const columns = useColumns(connectionId, retry.mutate);
  return (
    <>
      <ErrorNote error={retry.error} />
      <Paged list={list} empty={<p>{texts.noFailures}</p>}>
        {(failures) => (
          <>
            <ListFile name={texts.failures} columns={columns} read={list.all} />
            <DataTable label={texts.failures} items={failures} keyOf={({ id }) => id} columns={columns} />
          </>
        )}
      </Paged>
    </>
  );
}

function useColumns(connectionId: string, retry: (failureId: string) => void): DataColumn<Failure>[] {
  const texts = useTexts();
  const wordsOf = useProviderErrorWords();
  return [
    { title: texts.invoice, kind: 'header', cell: ({ externalId }) => externalId },
    {
      title: texts.reason,
      cell: ({ reason }) => <ProviderErrorText said={reason} />,
      inFile: ({ reason }) => wordsOf(reason),
    },
    {
      title: texts.at,
      cell: ({ failedAt }) => <DateTime value={failedAt} />,
      inFile: ({ failedAt }) => momentOf(failedAt),
    },
    {
      title: texts.actions,
      kind: 'actions',
      cell: ({ id, externalId, retrying }) => (
        <>
          {retrying ? (
            <Badge family="progress">{texts.retrying}</Badge>
          ) : (
            <Button variant="quiet" aria-label={texts.retryNamed(externalId)} onPress={() => retry(id)}>
              {texts.retry}
            </Button>
          )}
          <Dismiss connectionId={connectionId} failure={{ id, externalId }} />
        </>
      ),
    },
  ];
}

type DismissProps = { connectionId: string; failure: Pick<Failure, 'id' | 'externalId'> };

function Dismiss({ connectionId, failure: { id, externalId } }: DismissProps) {
  const texts = useTexts();
  const dismiss = useDismiss(connectionId);
  return (
    <ConfirmButton
      look={{ variant: 'quiet', 'aria-label': texts.dismissNamed(externalId) }}
      title={texts.dismissTitle(externalId)}
      confirm={texts.dismiss}
      sending={dismiss}
      onConfirm={() => dismiss.mutate(id)}
    >
      {texts.dismissHint}
    </ConfirmButton>
  );
}
