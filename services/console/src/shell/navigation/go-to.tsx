import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Dialog, Heading, Modal, ModalOverlay, VisuallyHidden } from 'react-aria-components';
import { useLocation } from 'wouter';
import { isSearch, longestText } from '../../api/search-text.ts';
import { contains } from '../../components/contains.ts';
import { SearchField } from '../../components/forms/field.tsx';
import { useSettled } from '../../components/forms/use-settled.ts';
import overlay from '../../components/overlays/overlay.module.css';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { useSession } from '../../session/session.ts';
import { GoToList, type Target } from './go-to-list.tsx';
import { entriesFor } from './navigation.ts';
import { sourcesFor } from './search-sources.ts';

/** Jumps to a page, or to what its number, its words or its amount find. */
export function GoTo({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  const texts = useFrameTexts();
  return (
    <ModalOverlay isOpen={isOpen} onOpenChange={onOpenChange} isDismissable className={overlay['backdrop'] as string}>
      <Modal className={overlay['modal'] as string}>
        <Dialog className={overlay['dialog'] as string}>
          <VisuallyHidden>
            <Heading slot="title">{texts.goTo}</Heading>
          </VisuallyHidden>
          <Search onChosen={() => onOpenChange(false)} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Search({ onChosen }: { onChosen: () => void }) {
  const texts = useFrameTexts();
  const session = useSession();
  const { locale } = useLocale();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const wanted = useSettled(text.trim());
  const found = useQueries({
    queries: sourcesFor(session, { kinds: texts.goToKinds, locale }).map(({ name, read }) => ({
      queryKey: ['go to', name, wanted, locale],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(wanted, signal),
      enabled: isSearch(wanted),
      placeholderData: keepPreviousData,
    })),
  });
  const isLooking = wanted !== text.trim() || found.some(({ isFetching }) => isFetching);
  const pages = entriesFor(session).map(({ name, href, icon }): Target => ({ href, icon, text: texts[name] }));
  const go = (href: string) => {
    onChosen();
    navigate(href);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField label={texts.goTo} placeholder={texts.goToHint} maxLength={longestText} autoFocus />
      <GoToList
        targets={[
          ...pages.filter((page) => contains(page.text, text)),
          ...(text.trim() === '' ? [] : found.flatMap(({ data }) => data ?? [])),
        ]}
        empty={isLooking ? texts.loading : texts.goToNothing}
        onChoose={go}
      />
    </Autocomplete>
  );
}
