import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { DateTime } from '../../components/data-display/values.tsx';
import { EnglishText } from '../../components/error-text.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { formatNumber } from '../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { saveFile } from '../../settings/save-file.ts';
import type { Family } from '../../words/family.ts';
import { type CompanyExport, readArchive, useExports } from './platform.ts';
import { useTexts } from './texts.ts';
import { ForgetToken, WithToken } from './with-token.tsx';

export function ExportsPage() {
  return (
    <WithToken>
      <Exports />
    </WithToken>
  );
}

function Exports() {
  const texts = useTexts();
  const frame = useFrameTexts();
  return (
    <Page title={texts.exports} actions={<ForgetToken />}>
      <Paged list={useExports()} empty={<EmptyState title={texts.noExports} />}>
        {(exports) => (
          <DataTable
            label={texts.exports}
            items={exports}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.company, kind: 'header', cell: ({ company }) => company.name },
              { title: texts.status, cell: (one) => <State one={one} /> },
              { title: texts.requested, isMinor: true, cell: (one) => <DateTime value={one.requested_at} /> },
              {
                title: texts.until,
                isMinor: true,
                cell: ({ expires_at }) => (expires_at === null ? '' : <DateTime value={expires_at} />),
              },
              {
                title: frame.actions,
                kind: 'actions',
                cell: (one) => (one.state === 'done' ? <Download one={one} /> : null),
              },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}

const families: Record<string, Family> = {
  collecting: 'progress',
  writing: 'progress',
  done: 'success',
  failed: 'danger',
  expired: 'neutral',
};

/** The state, with how far it has come or why it failed. */
function State({ one: { state, progress, error } }: { one: CompanyExport }) {
  const texts = useTexts();
  const { locale } = useLocale();
  const words: Record<string, string> = texts.exportStates;
  const shown = (count: number) => formatNumber(count, locale);
  const lines = progress.kinds.reduce((sum, { count }) => sum + count, 0);
  const { done, total } = progress.files;
  const more: Record<string, ReactNode> = {
    collecting: texts.lines(shown(lines)),
    writing: texts.filesOf(shown(done), shown(total)),
    failed: error && <EnglishText>{error.message}</EnglishText>,
  };
  return (
    <>
      <Badge family={families[state] ?? 'neutral'}>{words[state] ?? state}</Badge> {more[state]}
    </>
  );
}

function Download({ one: { id, company, requested_at } }: { one: CompanyExport }) {
  const texts = useTexts();
  const read = useMutation({
    mutationFn: () => readArchive(id),
    onSuccess: (archive) => saveFile(archive, `export-${company.id}-${requested_at.slice(0, 10)}.zip`),
  });
  return (
    <>
      <ErrorNote error={read.error} />
      <Button
        variant="quiet"
        aria-label={texts.downloadOf(company.name)}
        isPending={read.isPending}
        onPress={() => read.mutate()}
      >
        {texts.download}
      </Button>
    </>
  );
}
