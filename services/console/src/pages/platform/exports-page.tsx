import { useMutation } from '@tanstack/react-query';
import { Button } from '../../components/button.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { saveFile } from '../../settings/save-file.ts';
import { ExportTable } from './export-table.tsx';
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
  return (
    <Page title={texts.platformExports} actions={<ForgetToken />}>
      <Paged list={useExports()} empty={<EmptyState title={texts.noExports} />}>
        {(items) => (
          <ExportTable
            label={texts.platformExports}
            head={{ title: texts.company, cell: ({ company }) => company.name }}
            download={(one) => <Download one={one} />}
            items={items}
          />
        )}
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
