import { Button } from '../../components/button.tsx';
import { type DataColumn, DataTable } from '../../components/data-display/data-table.tsx';
import { ListFile } from '../../components/data-display/list-file.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Select } from '../../components/forms/choice.tsx';
import { SettledSearch } from '../../components/forms/field.tsx';
import { Page } from '../../components/layout/page.tsx';
import { ConfirmButton } from '../../components/overlays/confirm-button.tsx';
import { EmptyState, ErrorNote } from '../../components/states.tsx';
import { anyText, useUrlState } from '../../routing/url-state.ts';
import { announce } from '../../session/actions.ts';
import { EraseUser } from '../users/erase-user.tsx';
import { useTexts as useUserTexts } from '../users/texts.ts';
import { statusOf, UserStatus } from '../users/user-status.tsx';
import { nameOf } from '../users/users.ts';
import { AddUser } from './add-user.tsx';
import { setActive, type User, useAllCompanies, useErase, useSetActive, useUsers } from './platform.ts';
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
  const [{ company, q }, setUrl] = useUrlState({ company: anyText, q: anyText });
  const { data: companies = [] } = useAllCompanies();
  const list = useUsers(company, q);
  const options = [{ id: 'all', text: texts.allCompanies }, ...companies.map(({ id, name }) => ({ id, text: name }))];
  const columns = useColumns((id) => companies.find((one) => one.id === id)?.name);
  return (
    <Page
      title={texts.platformUsers}
      actions={
        <>
          <SettledSearch
            label={texts.searchUsers}
            placeholder={texts.searchUsersHint}
            value={q ?? ''}
            onSearch={(text) => setUrl({ q: text }, { replace: true })}
          />
          <Select
            label={texts.company}
            isLabelHidden
            options={options}
            value={company ?? 'all'}
            onChange={(id) => setUrl({ company: id === 'all' ? null : String(id) })}
          />
          <ListFile name={texts.platformUsers} columns={columns} read={list.all} />
          <ForgetToken />
          <AddUser companies={companies} companyId={company} />
        </>
      }
    >
      <Paged list={list} empty={<EmptyState title={q ? texts.nothingFound : texts.noUsers} />}>
        {(users) => <DataTable label={texts.platformUsers} items={users} keyOf={({ id }) => id} columns={columns} />}
      </Paged>
    </Page>
  );
}

/** @param companyOf the name, once it is known */
function useColumns(companyOf: (id: string) => string | undefined): DataColumn<User>[] {
  const texts = useTexts();
  const userTexts = useUserTexts();
  return [
    { title: texts.name, kind: 'header', cell: (user) => (user.erasure ? userTexts.erasedPerson : nameOf(user)) },
    { title: texts.email, isMinor: true, cell: ({ email, erasure }) => (erasure ? '' : email) },
    {
      title: texts.company,
      isMinor: true,
      cell: ({ company_id: id }) => companyOf(id) ?? '',
      inFile: ({ company_id: id }) => companyOf(id) ?? id,
    },
    {
      title: texts.permissions,
      isMinor: true,
      cell: ({ permissions }) => permissions.map((one) => texts.permissionNames[one]).join(', '),
    },
    {
      title: texts.status,
      cell: (user) => <UserStatus user={user} />,
      inFile: (user) => userTexts[statusOf(user).text],
    },
    { title: texts.actions, kind: 'actions', cell: (user) => !user.erasure && <Activity user={user} /> },
  ];
}

type ActivityProps = { user: User; change: ReturnType<typeof useSetActive> };

function Activity({ user }: { user: User }) {
  // The mutation belongs here and not to its button: the button disappears once it has worked, and
  // then could announce nothing.
  const change = useSetActive();
  return (
    <>
      {user.active ? <Deactivate user={user} change={change} /> : <Activate user={user} change={change} />}
      <EraseUser user={user} erase={useErase()} variant="quiet" />
    </>
  );
}

/** Asks first: the user's API tokens end for good. */
function Deactivate({ user, change }: ActivityProps) {
  const texts = useTexts();
  const userTexts = useUserTexts();
  const name = nameOf(user);
  const deactivate = () =>
    change.mutate({ id: user.id, active: false }, { onSuccess: () => announce(userTexts.deactivated(name)) });
  return (
    <ConfirmButton
      look={{ variant: 'quiet', 'aria-label': `${userTexts.deactivate} ${name}` }}
      title={userTexts.deactivateTitle(name)}
      confirm={userTexts.deactivate}
      sending={change}
      onConfirm={deactivate}
    >
      {texts.deactivateWhy}
    </ConfirmButton>
  );
}

function Activate({ user, change }: ActivityProps) {
  const userTexts = useUserTexts();
  const name = nameOf(user);
  const undo = () => setActive(user.id, false);
  const activate = () =>
    change.mutate({ id: user.id, active: true }, { onSuccess: () => announce(userTexts.activated(name), { undo }) });
  return (
    <>
      <ErrorNote error={change.error} />
      <Button
        variant="quiet"
        aria-label={`${userTexts.activate} ${name}`}
        isPending={change.isPending}
        onPress={activate}
      >
        {userTexts.activate}
      </Button>
    </>
  );
}
