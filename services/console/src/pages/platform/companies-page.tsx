import { ButtonLink } from '../../components/button.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { AddCompany } from './add-company.tsx';
import { BeginExport } from './begin-export.tsx';
import { useCompanies } from './platform.ts';
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
  const frame = useFrameTexts();
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <ForgetToken />
          <AddCompany />
        </>
      }
    >
      <Paged list={useCompanies()} empty={<EmptyState title={texts.noCompanies} />}>
        {(companies) => (
          <DataTable
            label={texts.title}
            items={companies}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.name, kind: 'header', cell: ({ name }) => name },
              { title: texts.kind, cell: ({ kind }) => texts[kind] },
              { title: texts.siret, isMinor: true, cell: ({ siret }) => siret ?? '' },
              {
                title: frame.actions,
                kind: 'actions',
                cell: ({ id, name }) => (
                  <>
                    <ButtonLink variant="quiet" aria-label={texts.usersOf(name)} href={`/platform/users?company=${id}`}>
                      {texts.showUsers}
                    </ButtonLink>
                    <BeginExport id={id} name={name} />
                  </>
                ),
              },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}
