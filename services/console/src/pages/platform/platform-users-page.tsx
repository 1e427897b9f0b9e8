import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { announce } from '../../session/actions.ts';
import { EraseUser } from '../users/erase-user.tsx';
import { useTexts as useUserTexts } from '../users/texts.ts';
import { UserStatus } from '../users/user-status.tsx';
import { nameOf } from '../users/users.ts';
import { AddUser } from './add-user.tsx';
import { setActive, type User, useCompanies, useErase, useSetActive, useUsers } from './platform.ts';
import { useTexts } from './texts.ts';
import { ForgetToken, WithToken } from './with-token.tsx';

export function PlatformUsersPage() {
  return (
    <WithToken>
      <Users />
    </WithToken>
  );
}

function Users() {
  const texts = useTexts();
  const [{ company }, setUrl] = useUrlState({ company: anyText });
  const { items: companies } = useCompanies();
  const list = useUsers(company);
  const options = [{ id: 'all', text: texts.allCompanies }, ...companies.map(({ id, name }) => ({ id, text: name }))];
  const companyOf = (id: string) => companies.find((one) => one.id === id)?.name ?? '';
  return (
    <Page
      title={texts.usersTitle}
      actions={
        <>
          <Select
            label={texts.company}
            isLabelHidden
            options={options}
            value={company ?? 'all'}
            onChange={(id) => setUrl({ company: id === 'all' ? null : String(id) })}
          />
          <ForgetToken />
          <AddUser companies={companies} companyId={company} />
        </>
      }
    >
      <Paged list={list} empty={<EmptyState title={texts.noUsers} />}>
        {(users) => <UserTable users={users} companyOf={companyOf} />}
      </Paged>
    </Page>
  );
}

function UserTable({ users, companyOf }: { users: User[]; companyOf: (id: string) => string }) {
  const texts = useTexts();
  const userTexts = useUserTexts();
  const frame = useFrameTexts();
  return (
    <DataTable
      label={texts.usersTitle}
      items={users}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.name, kind: 'header', cell: (user) => (user.erasure ? userTexts.erasedPerson : nameOf(user)) },
        { title: texts.email, isMinor: true, cell: ({ email, erasure }) => (erasure ? '' : email) },
        { title: texts.company, isMinor: true, cell: ({ company_id }) => companyOf(company_id) },
        {
          title: texts.permissions,
          isMinor: true,
          cell: ({ permissions }) => permissions.map((one) => frame.permissionNames[one]).join(', '),
        },
        { title: texts.status, cell: (user) => <UserStatus user={user} /> },
        { title: frame.actions, kind: 'actions', cell: (user) => !user.erasure && <Activity user={user} /> },
      ]}
    />
  );
}

function Activity({ user }: { user: User }) {
  const texts = useTexts();
  const change = useSetActive();
  const { id, active } = user;
  const name = nameOf(user);
  const toggle = () =>
    change.mutate(
      { id, active: !active },
      {
        onSuccess: () =>
          announce(active ? texts.deactivated(name) : texts.activated(name), { undo: () => setActive(id, active) }),
      },
    );
  const what = active ? texts.deactivate : texts.activate;
  return (
    <>
      <ErrorNote error={change.error} />
      <Button variant="quiet" aria-label={`${what} ${name}`} isPending={change.isPending} onPress={toggle}>
        {what}
      </Button>
      <EraseUser user={user} erase={useErase()} variant="quiet" />
    </>
  );
}
