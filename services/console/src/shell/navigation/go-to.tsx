import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Autocomplete, Dialog, Heading, Modal, ModalOverlay, useFilter, VisuallyHidden } from 'react-aria-components';
import { useLocation } from 'wouter';
import { call, tickets } from '../../api/client.ts';
import { SearchField } from '../../components/forms/field.tsx';
import overlay from '../../components/overlays/overlay.module.css';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { GoToList, type Target } from './go-to-list.tsx';
import { entriesFor } from './navigation.ts';

const ticketNumber = /^t-?\d+/i;

/** Jumps to a page or to a ticket by its number. */
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
  const [, navigate] = useLocation();
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const number = ticketNumber.test(text.trim()) && may(session, 'tickets') ? text.trim().toUpperCase() : null;
  const found = useQuery({
    queryKey: ['ticket of number', number],
    queryFn: () =>
      call(tickets.GET('/api/v3.0/tickets/get-id-from-number', { params: { query: { ticket_number: number ?? '' } } })),
    enabled: number !== null,
    retry: false,
  });
  const pages = entriesFor(session).map(({ name, href, icon }): Target => ({ href, icon, text: texts[name] }));
  const ofTicket: Target[] =
    number !== null && found.data ? [{ href: `/tickets/${found.data.ticket_id}`, text: texts.goToTicket(number) }] : [];
  const go = (href: string) => {
    onChosen();
    navigate(href);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField label={texts.goTo} placeholder={texts.goToHint} autoFocus />
      <GoToList
        targets={[...ofTicket, ...pages.filter((page) => contains(page.text, text.trim()))]}
        empty={number !== null && found.isError ? texts.noSuchTicket(number) : texts.goToNothing}
        onChoose={go}
      />
    </Autocomplete>
  );
}
