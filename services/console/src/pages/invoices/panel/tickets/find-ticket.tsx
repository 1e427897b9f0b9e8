import { useEffect, useRef, useState } from 'react';
import { ErrorText } from '../../../../components/error-text.tsx';
import { ComboBox } from '../../../../components/forms/choice.tsx';
import { useSettled } from '../../../../components/forms/use-settled.ts';
import { useLocale } from '../../../../i18n/locale.tsx';
import { useShortcut } from '../../../../shell/keyboard/shortcuts.ts';
import { ticketStatuses } from '../../../../words/status-words.ts';
import { useFoundTickets } from '../../data/invoice-queries.ts';
import type { Choice } from '../../rules/choice.ts';
import { useTexts } from '../../texts.ts';

/** Searches all tickets of the company by number, title or reference. The chosen one joins the suggestions. */
export function FindTicket({ id, onFound }: { id: string; onFound: (choice: Choice) => void }) {
  const texts = useTexts();
  const { language } = useLocale();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const query = useSettled(text.trim());
  const { data, error, isFetching } = useFoundTickets(id, query);
  useShortcut('/', () => place.current?.querySelector('input')?.focus(), { label: texts.keyFind });
  useEffect(() => {
    // Moves the focus to the ticket: the next key is for the page, and `Enter` links.
    if (chosen > 0) place.current?.parentElement?.querySelector<HTMLElement>('input[type=radio]:checked')?.focus();
  }, [chosen]);
  const isLooking = isFetching || query !== text.trim();
  const found = text.trim() === '' ? [] : (data?.items ?? []);
  const words: Record<string, { en: string; fr: string }> = ticketStatuses;
  const options = found.map(({ ticketId, number, title, status, contractor, location }) => ({
    id: ticketId,
    text: `${number} ${title ?? ''}`,
    hint: [words[status]?.[language] ?? status, contractor?.name, location].filter(Boolean).join(' · '),
  }));
  return (
    <div ref={place} data-screen>
      <ComboBox
        // A new key after each choice: otherwise it would open its list again.
        key={chosen}
        label={texts.find}
        placeholder={texts.findHint}
        options={options}
        isSearched
        more={found.length > 0 && data?.isMore && texts.findMore}
        empty={
          isLooking ? (
            texts.loading
          ) : error ? (
            <ErrorText error={error} />
          ) : text.trim() === '' ? (
            texts.findFirst
          ) : (
            texts.findNothing
          )
        }
        inputValue={text}
        onInputChange={setText}
        selectedKey={null}
        // Otherwise its list opens again after Escape, since the text is not that of a chosen ticket.
        allowsCustomValue
        onSelectionChange={(key) => {
          const choice = found.find(({ ticketId }) => ticketId === key);
          if (!choice) return;
          onFound(choice);
          setText('');
          setChosen(chosen + 1);
        }}
      />
    </div>
  );
}
