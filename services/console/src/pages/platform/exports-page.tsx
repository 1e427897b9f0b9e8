import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.tsx';
import { ListFile } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { saveFile } from '../../settings/save-file.ts';
import { ExportTable, useExportColumns } from './export-table.tsx';
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
  const list = useExports();
  const columns = {
    head: { title: texts.company, cell: ({ company }: CompanyExport) => company.name },
    download: (one: CompanyExport) => <Download one={one} />,
  };
  const actions = (
    <>
      <ListFile name={texts.platformExports} columns={useExportColumns(columns)} read={list.all} />
      <ForgetToken />
    </>
  );
  return (
    <Page title={texts.platformExports} actions={actions}>
      <Paged list={list} empty={<EmptyState title={texts.noExports} />}>
        {(items) => <ExportTable label={texts.platformExports} {...columns} items={items} />}
      </Paged>
    </Page>
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
