import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.tsx';
import { Badge } from '../../components/data-display/badge.tsx';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Paged } from '../../components/data-display/paged.tsx';
import { Page } from '../../components/layout/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { EditUser } from './edit-user.tsx';
import { InviteUser } from './invite-user.tsx';
import { useTexts } from './texts.ts';
import { nameOf, type User, useUsers } from './users.ts';

export function UsersPage() {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [edited, edit] = useState<User | null>(null);
  const actions = (
    <>
      <ButtonLink href="/users/single-sign-on">{texts.singleSignOn}</ButtonLink>
      <InviteUser />
    </>
  );
  return (
    <Page title={texts.title} actions={actions}>
      <Paged list={useUsers()} empty={<EmptyState title={texts.empty} />}>
        {(users) => (
          <DataTable
            label={texts.title}
            items={users}
            keyOf={({ id }) => id}
            columns={[
              { title: frame.name, kind: 'header', cell: nameOf },
              { title: texts.email, isMinor: true, cell: ({ email }) => email },
              {
                title: texts.permissions,
                isMinor: true,
                cell: (user) => user.permissions.map((one) => texts[one]).join(', '),
              },
              { title: texts.status, cell: (user) => <UserStatus user={user} /> },
              {
                title: frame.actions,
                kind: 'actions',
                cell: (user) => (
                  <Button variant="quiet" aria-label={texts.edit(nameOf(user))} onPress={() => edit(user)}>
                    {frame.edit}
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

function UserStatus({ user: { active, invited } }: { user: User }) {
  const texts = useTexts();
  if (!active) return <Badge family="neutral">{texts.inactive}</Badge>;
  return invited ? <Badge family="info">{texts.invited}</Badge> : <Badge family="success">{texts.active}</Badge>;
}
