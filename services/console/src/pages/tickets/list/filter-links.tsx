import { X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-aria-components';
import { useSearch } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { classes } from '../../../components/classes.ts';
import { Field } from '../../../components/forms/field.tsx';
import { Form, textOf } from '../../../components/forms/form.tsx';
import { Dialog } from '../../../components/overlays/overlay.tsx';
import { ErrorNote } from '../../../components/states.tsx';
import { type Counted, formatCounted } from '../../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../../i18n/locale.tsx';
import { announce } from '../../../session/actions.ts';
import { useChangePreferences, usePreferences } from '../../../session/preferences.ts';
import { useSession } from '../../../session/session.ts';
import { builtInFiltersOf, countOf, maxSavedFilters, savedFilters } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { useCounts } from '../tickets.ts';
import type { TicketFilter } from './ticket-filters.tsx';

/** Links to lists: the built-in views with their counts, and the views that the user saved. */
export function FilterLinks({ filter }: { filter: TicketFilter }) {
  const texts = useTexts();
  const { company } = useSession();
  const { data: counts } = useCounts();
  const query = useSearch();
  const own = useOwnFilters();
  const isOwn = own.views.some((view) => view.query === query);
  return (
    <div className={styles['views']}>
      <nav aria-label={texts.views} className={styles['viewLinks']}>
        <FilterLink href="/tickets" isCurrent={!filter.isSet} text={texts.allTickets} />
        {builtInFiltersOf(company.kind).map(([name, statuses]) => (
          <FilterLink
            key={name}
            href={`/tickets?view=${name}`}
            isCurrent={query === `view=${name}`}
            text={texts.viewNames[name]}
            {...(counts && { counted: countOf(statuses, counts) })}
          />
        ))}
        {own.views.map((view) => (
          <FilterLink
            key={view.name}
            href={`/tickets?${view.query}`}
            isCurrent={view.query === query}
            text={view.name}
          />
        ))}
      </nav>
      {filter.isSet && !isOwn && own.isKnown && own.views.length < maxSavedFilters && (
        <SaveFilter query={query} own={own} />
      )}
      {isOwn && <RemoveFilter query={query} own={own} />}
    </div>
  );
}

type LinkProps = { href: string; text: string; isCurrent: boolean; counted?: Counted };

function FilterLink({ href, text, isCurrent, counted }: LinkProps) {
  const { locale } = useLocale();
  const current = isCurrent ? ({ 'aria-current': 'page' } as const) : {};
  return (
    <Link href={href} {...current} className={classes(styles['viewLink'], isCurrent && styles['currentView'])}>
      {text}
      {counted && counted.count > 0 && <span className={styles['count']}>{formatCounted(counted, locale)}</span>}
    </Link>
  );
}

type OwnFilters = ReturnType<typeof useOwnFilters>;

function useOwnFilters() {
  const { data } = usePreferences();
  const change = useChangePreferences();
  const views = savedFilters(data?.views['tickets']);
  const keep = (next: typeof views) => change.mutateAsync({ views: { ...data?.views, tickets: next } });
  // Nothing may be saved before the views are loaded: it would replace all of them.
  return { views, isKnown: data !== undefined, keep, change };
}

function SaveFilter({ query, own }: { query: string; own: OwnFilters }) {
  const texts = useTexts();
  const frame = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  const save = async (values: FormData) => {
    const name = textOf(values, 'name');
    if (name === undefined) return;
    await own.keep([...own.views.filter((view) => view.name !== name), { name, query }]);
    setOpen(false);
    announce(texts.viewSaved(name));
  };
  return (
    <>
      <Button variant="quiet" onPress={() => setOpen(true)}>
        {texts.saveView}
      </Button>
      <Dialog title={texts.saveView} isOpen={isOpen} onOpenChange={setOpen}>
        <Form
          error={own.change.error}
          onSubmit={(values) => void save(values).catch(() => undefined)}
          actions={
            <Button type="submit" variant="primary" isPending={own.change.isPending}>
              {frame.save}
            </Button>
          }
        >
          <Field label={frame.name} name="name" maxLength={60} isRequired autoFocus />
        </Form>
      </Dialog>
    </>
  );
}

function RemoveFilter({ query, own }: { query: string; own: OwnFilters }) {
  const texts = useTexts();
  const found = own.views.find((view) => view.query === query);
  if (!found) return null;
  const remove = async () => {
    await own.keep(own.views.filter((view) => view !== found));
    announce(texts.viewRemoved(found.name), { undo: () => own.keep(own.views) });
  };
  return (
    <>
      <Button variant="quiet" isPending={own.change.isPending} onPress={() => void remove().catch(() => undefined)}>
        <X size={14} aria-hidden="true" />
        {texts.removeView}
      </Button>
      <ErrorNote error={own.change.error} />
    </>
  );
}
