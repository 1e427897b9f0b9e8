import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { call, ts } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { DataTable } from '../../components/data-display/data-table.tsx';
import { Checkbox, Select } from '../../components/forms/choice.tsx';
import { Section } from '../../components/layout/sections.tsx';
import { ErrorNote, Loaded } from '../../components/states.tsx';
import { useTexts } from '../../shell/notifications/texts.ts';

const settingsKey = ['notifications', 'settings'];

type Kind = TsSchemas['Notification']['kind'];
type Setting = { console: boolean; email: 'now' | 'daily' | 'weekly' | 'never' };
type Settings = { kinds: Partial<Record<Kind, Setting>> };

/** How the user is told of each kind that they can get. A choice takes effect at once. */
export function NotificationSettings() {
  const texts = useTexts();
  const settings = useQuery<Settings>({
    queryKey: settingsKey,
    queryFn: ({ signal }) => call(ts.GET('/notifications/settings', { signal })),
  });
  const save = useMutation({
    mutationFn: (body: Settings) => call(ts.PUT('/notifications/settings', { body })),
    onSuccess: (kept) => queryClient.setQueryData(settingsKey, kept),
  });
  const choose = (kind: Kind, setting: Setting) => save.mutate({ kinds: { [kind]: setting } });
  const emails = Object.entries(texts.emails).map(([id, text]) => ({ id, text }));
  return (
    <Section title={texts.notifications} hint={texts.settingsHint}>
      <ErrorNote error={save.error} />
      <Loaded query={settings}>
        {({ kinds }) => (
          <DataTable
            label={texts.notifications}
            items={Object.entries(kinds) as [Kind, Setting][]}
            keyOf={([kind]) => kind}
            columns={[
              { title: texts.kind, kind: 'header', cell: ([kind]) => texts.kinds[kind] },
              {
                title: texts.inConsole,
                cell: ([kind, setting]) => (
                  <Checkbox
                    aria-label={texts.labelled(texts.kinds[kind], texts.inConsole)}
                    isSelected={setting.console}
                    onChange={(console) => choose(kind, { ...setting, console })}
                  />
                ),
              },
              {
                title: texts.byEmail,
                cell: ([kind, setting]) => (
                  <Select
                    label={texts.labelled(texts.kinds[kind], texts.byEmail)}
                    isLabelHidden
                    options={emails}
                    value={setting.email}
                    onChange={(email) => choose(kind, { ...setting, email: email as Setting['email'] })}
                  />
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
