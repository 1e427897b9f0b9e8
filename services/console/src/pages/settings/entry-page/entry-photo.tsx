import { useMutation } from '@tanstack/react-query';
import { queryClient } from '../../../api/query.ts';
import { Button } from '../../../components/button.tsx';
import { FileButton } from '../../../components/file-button.tsx';
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
  const actions = (
    <>
      {photo && (
        <Button isPending={remove.isPending} onPress={() => remove.mutate()}>
          {texts.removePhoto}
        </Button>
      )}
      <FileButton
        label={texts.choosePhoto}
        input={{ accept: 'image/png,image/jpeg,image/webp' }}
        isPending={set.isPending}
        onChoose={([file]) => file && set.mutate(file)}
      />
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
