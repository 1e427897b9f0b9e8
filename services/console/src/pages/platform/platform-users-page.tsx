import { Button } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { announce } from '../../session/actions.ts';
import { AddUser } from './add-user.tsx';
import { setActive, type User, useCompanies, useSetActive, useUsers } from './platform.ts';
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
  const nameOf = (id: string) => companies.find((one) => one.id === id)?.name ?? '';
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
        {(users) => <UserTable users={users} companyOf={nameOf} />}
      </Paged>
    </Page>
  );
}

function UserTable({ users, companyOf }: { users: User[]; companyOf: (id: string) => string }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  return (
    <DataTable
      label={texts.usersTitle}
      items={users}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.name, kind: 'header', cell: ({ first_name, last_name }) => `${first_name} ${last_name}` },
        { title: texts.email, isMinor: true, cell: ({ email }) => email },
        { title: texts.company, isMinor: true, cell: ({ company_id }) => companyOf(company_id) },
        {
          title: texts.permissions,
          isMinor: true,
          cell: ({ permissions }) => permissions.map((one) => frame.permissionNames[one]).join(', '),
        },
        { title: texts.status, cell: (user) => <UserStatus user={user} /> },
        { title: frame.actions, kind: 'actions', cell: (user) => <Activity user={user} /> },
      ]}
    />
  );
}

function UserStatus({ user: { active, invited } }: { user: User }) {
  const texts = useTexts();
  if (!active) return <Badge family="neutral">{texts.inactive}</Badge>;
  return invited ? <Badge family="info">{texts.invited}</Badge> : <Badge family="success">{texts.active}</Badge>;
}

function Activity({ user: { id, active, first_name, last_name } }: { user: User }) {
  const texts = useTexts();
  const change = useSetActive();
  const name = `${first_name} ${last_name}`;
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
    </>
  );
}
