import type { TsSchemas } from '@app/api-client';
import { useIsMutating, useMutation, useQuery } from '@tanstack/react-query';
import { type Answer, call, callVersioned, ts } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { queryClient } from '../../../api/query.ts';
import { announce } from '../../../session/actions.ts';
import { useTexts } from './texts.ts';

export type ClockSettings = TsSchemas['ClockSettings'];
export type Policy = ClockSettings['policies'][number];
export type PlaceHours = ClockSettings['hours'][number];

const key = ['clock-settings'];

/** The settings at a version: a change is only made to that version. */
export type Versioned = { settings: ClockSettings; version: string };

export function useClockSettings() {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => versioned(ts.GET('/clock-settings', { signal })) });
}

async function versioned(request: Promise<Answer<ClockSettings>>): Promise<Versioned> {
  const { data: settings, version } = await callVersioned(request);
  return { settings, version };
}

/** The same for a policy, or for hours, wherever it stands in its list: no two are for the same. */
export function keyOf(item: Policy | PlaceHours): string {
  if ('openings' in item) return String(item.location_id);
  return [item.priority, item.location_id, item.domain_id, item.typology_id].join();
}

/** The error with its faults at the fields of the sheet that edits one policy, or the hours of one place. */
export function atItsFields(error: unknown, sent: ClockSettings | undefined): unknown {
  if (!(error instanceof ApiError)) return error;
  const faults = error.faults.map(({ path, message }) => {
    const [list = '', index = '', field, opening] = path.split('.');
    const day = sent?.hours[Number(index)]?.openings[Number(opening)]?.day;
    const whole = list === 'policies' ? 'priority' : 'location_id';
    return { path: field === 'openings' && day ? `day.${day}` : (field ?? whole), message };
  });
  return new ApiError(error.message, { ...error, faults });
}

/** Saves all of them; `onSaved` is called once they are. If others have changed them since that version, they are read again. */
export function useSaveClockSettings(onSaved: () => void) {
  const texts = useTexts();
  return useMutation({
    mutationKey: key,
    mutationFn: ({ settings: body, version }: Versioned) =>
      versioned(ts.PUT('/clock-settings', { params: { header: { 'If-Match': version } }, body })),
    onSuccess: (saved) => {
      queryClient.setQueryData(key, saved);
      announce(texts.saved);
      onSaved();
    },
    onError: () => queryClient.invalidateQueries({ queryKey: key, exact: true }),
  });
}

/** While a change of either list is saved, another would be made to a version that is about to pass. */
export function useIsSavingClockSettings(): boolean {
  return useIsMutating({ mutationKey: key }) > 0;
}

/** The due dates of a ticket opened at this time, by each policy; null: the time is incomplete. */
export function usePreview(settings: ClockSettings, opened_at: string | null) {
  return useQuery({
    queryKey: [...key, 'preview', settings, opened_at],
    queryFn: () => call(ts.POST('/clock-settings/preview', { body: { ...settings, opened_at: opened_at ?? '' } })),
    enabled: opened_at !== null && settings.policies.length > 0,
  });
}

/** What policies and hours may be for. */
export type Choices = Record<'places' | 'domains', { id: string; text: string }[]>;

/** Null: it is for all. */
export function nameIn(options: Choices['places'], id: string | null): string | null {
  return id && (options.find((one) => one.id === id)?.text ?? id);
}
