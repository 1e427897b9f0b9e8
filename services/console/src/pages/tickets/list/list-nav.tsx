import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ButtonLink } from '../../../components/button.tsx';
import { useShortcut } from '../../../shell/keyboard/shortcuts.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { listHref } from './list-neighbours.ts';
import { useListNeighbours } from './use-list-neighbours.ts';

/**
 * Links back to the list that the ticket was opened from, and to the tickets before and after it
 * there.
 */
export function ListNav({ ticketId }: { ticketId: string }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const { list, previous, next } = useListNeighbours(ticketId);
  useShortcut('Escape', () => navigate(listHref(list)));
  return (
    <nav aria-label={texts.placeInList} className={styles['listNav']}>
      <ButtonLink variant="quiet" href={listHref(list)} aria-keyshortcuts="Escape">
        <ArrowLeft size={16} aria-hidden="true" />
        {texts.backToList}
      </ButtonLink>
      {list !== null && (
        <>
          <Step name={texts.previous} keys="k" id={previous} list={list}>
            <ChevronLeft size={16} aria-hidden="true" />
          </Step>
          <Step name={texts.next} keys="j" id={next} list={list}>
            <ChevronRight size={16} aria-hidden="true" />
          </Step>
        </>
      )}
    </nav>
  );
}

type StepProps = { name: string; keys: string; id: string | null; list: string; children: ReactNode };

/**
 * At the end of the list it is disabled, not removed, so that the other button does not move under
 * the pointer.
 */
function Step({ name, keys, id, list, children }: StepProps) {
  const [, navigate] = useLocation();
  const href = `/tickets/${id}`;
  const state = { list };
  useShortcut(keys, () => navigate(href, { state }), { label: name, isOn: id !== null });
  return (
    <ButtonLink
      {...(id !== null && { href, routerOptions: { state } })}
      variant="quiet"
      isIcon
      isDisabled={id === null}
      aria-label={name}
      aria-keyshortcuts={keys}
    >
      {children}
    </ButtonLink>
  );
}
