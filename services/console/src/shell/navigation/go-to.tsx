import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { FileText, Ticket } from 'lucide-react';
import { useState } from 'react';
import { Autocomplete, Dialog, Heading, Modal, ModalOverlay, VisuallyHidden } from 'react-aria-components';
import { useLocation } from 'wouter';
import { call, tickets, ts } from '../../api/client.ts';
import { isSearch, longestText } from '../../api/search-text.ts';
import { contains } from '../../components/contains.ts';
import { SearchField } from '../../components/forms/field.tsx';
import { useSettled } from '../../components/forms/use-settled.ts';
import overlay from '../../components/overlays/overlay.module.css';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { may } from '../../session/permissions.ts';
import { useSession } from '../../session/session.ts';
import { GoToList, type Target } from './go-to-list.tsx';
import { entriesFor } from './navigation.ts';

/** Of each kind. */
const mostFound = 5;

/** Jumps to a page, or to a ticket or an invoice by its number or its words. */
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
  const [text, setText] = useState('');
  const wanted = useSettled(text.trim());
  const found = [useFoundTickets(wanted), useFoundInvoices(wanted)];
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

function useFoundTickets(q: string) {
  return useQuery({
    queryKey: ['go to', 'tickets', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: mostFound, order: 'desc' } as const;
      const found = await call(tickets.GET('/api/v3.0/tickets', { params: { query }, signal }));
      return found.tickets.map(
        ({ _id, number, title }): Target => ({
          href: `/tickets/${_id}`,
          icon: Ticket,
          text: `${number} ${title}`,
        }),
      );
    },
    enabled: may(useSession(), 'tickets') && isSearch(q),
    placeholderData: keepPreviousData,
  });
}

function useFoundInvoices(q: string) {
  const session = useSession();
  return useQuery({
    queryKey: ['go to', 'invoices', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: mostFound };
      const found = await call(ts.GET('/invoices/search', { params: { query }, signal }));
      return found.items.map(
        ({ id, number, supplier }): Target => ({
          href: `/invoices/${id}`,
          icon: FileText,
          text: [number, supplier.name].filter(Boolean).join(', '),
        }),
      );
    },
    enabled: session.company.kind === 'client' && may(session, 'accounting') && isSearch(q),
    placeholderData: keepPreviousData,
  });
}
