import type { TsSchemas } from '@app/api-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call, ts } from '../../../api/client.ts';
import { ApiError } from '../../../api/errors.ts';
import { announce } from '../../../session/actions.ts';
import { useTexts } from './texts.ts';

export type ClockSettings = TsSchemas['ClockSettings'];
export type Policy = ClockSettings['policies'][number];
export type PlaceHours = ClockSettings['hours'][number];

const key = ['clock-settings'];

export function useClockSettings() {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => call(ts.GET('/clock-settings', { signal })) });
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

/** Saves all of them; `onSaved` is called once they are. */
export function useSaveClockSettings(onSaved: () => void) {
  const texts = useTexts();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: ClockSettings) => call(ts.PUT('/clock-settings', { body })),
    onSuccess: (saved) => {
      client.setQueryData(key, saved);
      announce(texts.saved);
      onSaved();
    },
  });
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
