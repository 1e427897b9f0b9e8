import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Searched } from '../../components/data-display/searched.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { ContractorSheet } from './contractor-sheet.tsx';
import { type Contractor, useContractors } from './contractors.ts';
import { useTexts } from './texts.ts';

export function DirectoryPage() {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [edited, edit] = useState<Contractor | 'new' | null>(null);
  const add = (
    <Button variant="primary" onPress={() => edit('new')}>
      {texts.add}
    </Button>
  );
  return (
    <Page title={texts.title} intro={texts.intro} actions={add}>
      <Searched
        list={useContractors()}
        label={texts.search}
        textsOf={({ name, siret, email, phone }) => [name, siret, email, phone]}
        empty={<EmptyState title={texts.empty}>{texts.emptyHint}</EmptyState>}
      >
        {(contractors) => (
          <DataTable
            label={texts.title}
            items={contractors}
            keyOf={({ _id }) => _id}
            columns={[
              { title: frame.name, kind: 'header', cell: ({ name }) => name },
              { title: texts.type, isMinor: true, cell: ({ type }) => texts[type] },
              { title: texts.siret, isMinor: true, cell: ({ siret }) => siret ?? '' },
              { title: texts.email, isMinor: true, cell: ({ email }) => email ?? '' },
              { title: texts.phone, cell: ({ phone }) => phone ?? '' },
              { title: texts.account, cell: (contractor) => <Account contractor={contractor} /> },
              {
                title: frame.actions,
                kind: 'actions',
                cell: (contractor) => (
                  <Button variant="quiet" aria-label={texts.edit(contractor.name)} onPress={() => edit(contractor)}>
                    {frame.edit}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Searched>
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
