import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { ExportButtons } from '../../components/data-display/export-buttons.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { FilterBar } from '../../components/filters/filter-bar.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useUrlState } from '../../routing/url-state.ts';
import { EditUser } from './edit-user.tsx';
import { InviteUser } from './invite-user.tsx';
import { useTexts } from './texts.ts';
import { UserStatus } from './user-status.tsx';
import { nameOf, readSheet, type User, userFilters, useUsers } from './users.ts';

export function UsersPage() {
  const texts = useTexts();
  const [edited, edit] = useState<User | null>(null);
  const [chosen, set] = useUrlState(userFilters);
  const statuses = userFilters.status.map((id) => ({ id, text: texts[id] }));
  const permissions = userFilters.permission.map((id) => ({ id, text: texts.permissionNames[id] }));
  const actions = (
    <>
      <ExportButtons name={texts.users} read={(format) => readSheet(chosen, format)} />
      <ButtonLink href="/users/single-sign-on">{texts.singleSignOn}</ButtonLink>
      <InviteUser />
    </>
  );
  return (
    <Page title={texts.users} actions={actions}>
      <FilterBar
        fields={[
          { name: 'status', label: texts.status, kind: 'choice', options: statuses },
          { name: 'permission', label: texts.permissions, kind: 'choice', options: permissions },
        ]}
        values={chosen}
        onChange={set}
        search={texts.search}
      />
      <Paged
        list={useUsers(chosen)}
        empty={<EmptyState title={Object.keys(chosen).length > 0 ? texts.goToNothing : texts.empty} />}
      >
        {(users) => (
          <DataTable
            label={texts.users}
            items={users}
            keyOf={({ id }) => id}
            columns={[
              { title: texts.name, kind: 'header', cell: (user) => (user.erasure ? texts.erasedPerson : nameOf(user)) },
              { title: texts.email, isMinor: true, cell: ({ email, erasure }) => (erasure ? '' : email) },
              {
                title: texts.permissions,
                isMinor: true,
                cell: (user) => user.permissions.map((one) => texts.permissionNames[one]).join(', '),
              },
              { title: texts.status, cell: (user) => <UserStatus user={user} /> },
              {
                title: texts.actions,
                kind: 'actions',
                cell: (user) =>
                  !user.erasure && (
                    <Button variant="quiet" aria-label={texts.editOf(nameOf(user))} onPress={() => edit(user)}>
                      {texts.edit}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Paged>
      {edited && <EditUser user={edited} onClose={() => edit(null)} />}
    </Page>
  );
}
