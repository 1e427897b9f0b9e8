import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../components/data-display/export-buttons.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useUrlState } from '../../routing/url-state.ts';
import { ContractorSheet } from './contractor-sheet.tsx';
import { type Contractor, contractorFilters, readSheet, useContractors } from './contractors.ts';
import { useTexts } from './texts.ts';

export function DirectoryPage() {
  const texts = useTexts();
  const [edited, edit] = useState<Contractor | 'new' | null>(null);
  const [chosen, set] = useUrlState(contractorFilters);
  const types = contractorFilters.type.map((id) => ({ id, text: texts[id] }));
  const actions = (
    <>
      <ExportButtons name={texts.directory} read={(format) => readSheet(chosen, format)} />
      <Button variant="primary" onPress={() => edit('new')}>
        {texts.add}
      </Button>
    </>
  );
  const { sort, order = 'asc' } = chosen;
  const onSort = (by: string) => {
    const wanted = contractorFilters.sort.find((one) => one === by) ?? null;
    set({ sort: wanted, order: by === sort && order === 'asc' ? 'desc' : null });
  };
  const empty =
    (chosen.q ?? chosen.type) !== undefined ? (
      <EmptyState title={texts.goToNothing} />
    ) : (
      <EmptyState title={texts.empty}>{texts.emptyHint}</EmptyState>
    );
  return (
    <Page title={texts.directory} intro={texts.intro} actions={actions}>
      <FilterBar
        fields={[{ name: 'type', label: texts.type, kind: 'choice', options: types }]}
        values={chosen}
        onChange={set}
        search={texts.search}
      />
      <Paged list={useContractors(chosen)} empty={empty}>
        {(contractors) => (
          <DataTable
            label={texts.directory}
            items={contractors}
            keyOf={({ _id }) => _id}
            sorting={{ by: sort, order, onSort }}
            columns={[
              { title: texts.name, kind: 'header', sort: 'name', cell: ({ name }) => name },
              { title: texts.type, isMinor: true, sort: 'type', cell: ({ type }) => texts[type] },
              { title: texts.siret, isMinor: true, sort: 'siret', cell: ({ siret }) => siret ?? '' },
              { title: texts.email, isMinor: true, sort: 'email', cell: ({ email }) => email ?? '' },
              { title: texts.phone, cell: ({ phone }) => phone ?? '' },
              { title: texts.account, cell: (contractor) => <Account contractor={contractor} /> },
              {
                title: texts.actions,
                kind: 'actions',
                cell: (contractor) => (
                  <Button variant="quiet" aria-label={texts.editOf(contractor.name)} onPress={() => edit(contractor)}>
                    {texts.edit}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Paged>
      {edited && <ContractorSheet contractor={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
    </Page>
  );
}

function Account({ contractor: { company_id, requested_company_id } }: { contractor: Contractor }) {
  const texts = useTexts();
  if (requested_company_id !== null) return <Badge family="warning">{texts.linkRequested}</Badge>;
  if (company_id === null) return <Badge family="neutral">{texts.notLinked}</Badge>;
  return <Badge family="success">{texts.linked}</Badge>;
}
