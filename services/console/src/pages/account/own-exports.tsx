import { ts } from '../../api/client.ts';
import { pageOf, pageQuery, usePages } from '../../api/pages.ts';
import { Paged } from '../../components/data-display/paged.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { ExportTable } from '../platform/export-table.tsx';
import { useTexts } from './texts.ts';

/** The files of lists that were made in the background. */
export function OwnExports() {
  const texts = useTexts();
  const { name: title } = useFrameTexts();
  const list = usePages({
    key: ['exports', 'own'],
    read: (cursor, signal) => pageOf(ts.GET('/exports', { params: { query: pageQuery(cursor) }, signal })),
    refetchInterval: (files) => files.some(({ finished_at: at }) => at === null) && 2_000,
  });
  return (
    <Section title={texts.files} hint={texts.filesHint}>
      <Paged list={list} empty={null}>
        {(items) => (
          <ExportTable label={texts.files} head={{ title, cell: ({ file_name: name }) => name }} items={items} />
        )}
      </Paged>
    </Section>
  );
}
