import { useState } from 'react';
import { useLocation } from 'wouter';
import { Button, ButtonLink } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ListFile } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { SettledSearch } from '../../components/forms/field.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { announce } from '../../session/actions.ts';
import { CompanySheet } from './company-sheet.tsx';
import { type Company, useBeginExport, useCompanies } from './platform.ts';
import { useTexts } from './texts.ts';
import { ForgetToken, WithToken } from './with-token.tsx';

export function CompaniesPage() {
  return (
    <WithToken>
      <Companies />
    </WithToken>
  );
}

function Companies() {
  const texts = useTexts();
  const [{ q }, setUrl] = useUrlState({ q: anyText });
  const [edited, edit] = useState<Company | 'new' | null>(null);
  const list = useCompanies(q);
  const columns = useColumns(edit);
  return (
    <Page
      title={texts.platformCompanies}
      actions={
        <>
          <SettledSearch
            label={texts.searchCompanies}
            placeholder={texts.searchCompaniesHint}
            value={q ?? ''}
            onSearch={(text) => setUrl({ q: text }, { replace: true })}
          />
          <ListFile name={texts.platformCompanies} columns={columns} read={list.all} />
          <ForgetToken />
          <Button variant="primary" onPress={() => edit('new')}>
            {texts.addCompany}
          </Button>
        </>
      }
    >
      <Paged list={list} empty={<EmptyState title={q ? texts.nothingFound : texts.noCompanies} />}>
        {(companies) => (
          <DataTable label={texts.platformCompanies} items={companies} keyOf={({ id }) => id} columns={columns} />
        )}
      </Paged>
      {edited && <CompanySheet company={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
    </Page>
  );
}

function useColumns(edit: (company: Company) => void): DataColumn<Company>[] {
  const texts = useTexts();
  return [
    { title: texts.name, kind: 'header', cell: ({ name }) => name },
    { title: texts.kind, cell: ({ kind }) => texts[kind] },
    { title: texts.siret, isMinor: true, cell: ({ siret }) => siret ?? '' },
    {
      title: texts.actions,
      kind: 'actions',
      cell: (company) => (
        <>
          <Button variant="quiet" aria-label={texts.editOf(company.name)} onPress={() => edit(company)}>
            {texts.edit}
          </Button>
          <ButtonLink
            variant="quiet"
            aria-label={texts.usersOf(company.name)}
            href={`/platform/users?company=${company.id}`}
          >
            {texts.showUsers}
          </ButtonLink>
          <BeginExport id={company.id} name={company.name} />
        </>
      ),
    },
  ];
}

/** Exports all that a company has, and shows how far it has come. */
function BeginExport({ id, name }: { id: string; name: string }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const begin = useBeginExport();
  const press = () =>
    begin.mutate(id, {
      onSuccess: () => {
        announce(texts.exportBegun(name));
        navigate('/platform/exports');
      },
    });
  return (
    <>
      <ErrorNote error={begin.error} />
      <Button variant="quiet" aria-label={texts.exportOf(name)} isPending={begin.isPending} onPress={press}>
        {texts.exportCompany}
      </Button>
    </>
  );
}
