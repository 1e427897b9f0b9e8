import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useRef } from 'react';
import { queryClient } from '../../../api/query.ts';
import { Button } from '../../../components/button.tsx';
import { Hint, Section } from '../../../components/layout/sections.tsx';
import { Pictures, Thumbnail } from '../../../components/pictures/pictures.tsx';
import { shrunk } from '../../../components/pictures/shrink.ts';
import { ErrorNote } from '../../../components/states.tsx';
import { announce } from '../../../session/actions.ts';
import type { Entry } from '../entry.ts';
import type { PagedKind } from '../kinds.ts';
import { useTexts } from '../texts.ts';
import { photoOf, pictureOf } from './photo.ts';

/** The photo of a place or of equipment; a new one takes its place. */
export function EntryPhoto({ kind, entry: { id, photo } }: { kind: PagedKind; entry: Entry }) {
  const texts = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const api = photoOf(kind, id);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['settings', kind] });
  const set = useMutation({
    mutationFn: async (file: File) => api.set(await shrunk(file)),
    onSuccess: () => announce(texts.photoSaved),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => api.remove(),
    onSuccess: () => announce(texts.photoRemoved),
    onSettled: refresh,
  });
  const take = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file) set.mutate(file);
    // So that the same file can be chosen again.
    target.value = '';
  };
  const actions = (
    <>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        accept="image/png,image/jpeg,image/webp"
        aria-label={texts.choosePhoto}
        onChange={take}
      />
      {photo && (
        <Button isPending={remove.isPending} onPress={() => remove.mutate()}>
          {texts.removePhoto}
        </Button>
      )}
      <Button isPending={set.isPending} onPress={() => input.current?.click()}>
        {texts.choosePhoto}
      </Button>
    </>
  );
  const picture = photo && pictureOf(kind, id, photo);
  return (
    <Section title={texts.photo} actions={actions}>
      <ErrorNote error={set.error ?? remove.error} faultsAreElsewhere={false} />
      {picture ? (
        <Pictures pictures={[picture]}>
          {(open) => <Thumbnail key={picture.id} picture={picture} onOpen={open} />}
        </Pictures>
      ) : (
        <Hint>{texts.noPhoto}</Hint>
      )}
    </Section>
  );
}
