import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { queryClient } from '../../api/query.ts';
import { Button, ButtonLink } from '../../components/button.tsx';
import { ExportButtons } from '../../components/data-display/export-buttons.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import { Page } from '../../components/layout/page.tsx';
import { Tabs } from '../../components/layout/tabs.tsx';
import { AlertDialog } from '../../components/overlays/overlay.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useLocale } from '../../i18n/locale.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { announce } from '../../session/actions.ts';
import { useSession } from '../../session/session.ts';
import { useEntries } from './entries.ts';
import type { Entry } from './entry.ts';
import { EntrySheet } from './entry-sheet.tsx';
import { EntryTable } from './entry-table.tsx';
import { ImportDialog, type ImportedKind, importedBy } from './import/import-dialog.tsx';
import { type KindName, kindNames, kindOf } from './kinds.ts';
import { useTexts } from './texts.ts';

export function SettingsPage() {
  const texts = useTexts();
  const { place_ids } = useSession();
  const { referential } = useParams<{ referential?: string }>();
  const [, navigate] = useLocation();
  const name = kindNames.find((one) => one === referential) ?? 'locations';
  const [edited, edit] = useState<Entry | 'new' | null>(null);
  const [removed, remove] = useState<Entry | null>(null);
  const [imported, setImported] = useState<ImportedKind | null>(null);
  const [chosen, set] = useUrlState({ q: anyText });
  const actions = (
    <>
      {place_ids.length === 0 && <ButtonLink href="/settings/deadlines">{texts.deadlines}</ButtonLink>}
      <ExportButtons
        key={name}
        name={texts[name]}
        read={(format) => kindOf(name, format.language).sheet({ ...chosen, ...format })}
      />
      {importedBy[name]?.map((kind) => (
        <Button key={kind} onPress={() => setImported(kind)}>
          {texts.importButtons[kind]}
        </Button>
      ))}
      <Button variant="primary" onPress={() => edit('new')}>
        {texts.add}
      </Button>
    </>
  );
  return (
    <Page title={texts.settings} intro={texts.intro} actions={actions}>
      <Tabs
        label={texts.settings}
        tabs={kindNames.map((id) => ({ id, text: texts[id] }))}
        selected={name}
        onSelect={(id) => id !== name && navigate(`/settings/${id}`)}
      >
        <FilterBar fields={[]} values={chosen} onChange={set} search={texts.search} />
        <Paged
          list={useEntries(name, chosen.q ?? '')}
          empty={<EmptyState title={chosen.q === undefined ? texts.empty : texts.goToNothing} />}
        >
          {(entries) => <EntryTable kind={name} entries={entries} onEdit={edit} onRemove={remove} />}
        </Paged>
      </Tabs>
      {edited && <EntrySheet kind={name} entry={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
      {imported && <ImportDialog kind={imported} onClose={() => setImported(null)} />}
      <Remove kind={name} entry={removed} onClose={() => remove(null)} />
    </Page>
  );
}

function Remove({ kind, entry, onClose }: { kind: KindName; entry: Entry | null; onClose: () => void }) {
  const texts = useTexts();
  const { language } = useLocale();
  const remove = useMutation({
    mutationFn: ({ id }: Entry) => kindOf(kind, language).remove(id),
    onSuccess: async (_answer, { name }) => {
      await queryClient.invalidateQueries({ queryKey: ['settings', kind] });
      onClose();
      announce(texts.removed(name));
    },
  });
  return (
    <AlertDialog
      title={texts.removeTitle(entry?.name ?? '')}
      confirm={texts.deleteOf(entry?.name ?? '')}
      isOpen={entry !== null}
      sending={remove}
      onConfirm={() => entry && remove.mutate(entry)}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      {texts.removeHint}
    </AlertDialog>
  );
}
