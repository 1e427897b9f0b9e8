import { useState } from 'react';
import { Link } from 'react-aria-components';
import { useSearch } from 'wouter';
import { Button } from '../../components/button.tsx';
import { classes } from '../../components/classes.ts';
import { Checkbox } from '../../components/forms/checkbox.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Form, textOf } from '../../components/forms/form.tsx';
import { Menu, MenuItem, MenuTrigger } from '../../components/overlays/menu.tsx';
import { Dialog } from '../../components/overlays/overlay.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { type Counted, formatCounted } from '../../i18n/format.ts';
import { useFrameTexts, useLocale } from '../../i18n/locale.tsx';
import { announce } from '../actions.ts';
import { may } from '../permissions.ts';
import { useSession } from '../session.ts';
import styles from './filter-links.module.css';
import { type FilteredList, type SavedFilter, useSavedFilters } from './saved-filters.ts';
import { savedQuery } from './saved-query.ts';

export type FilterLink = { href: string; text: string; isCurrent: boolean; counted?: Counted };

type Props = {
  list: FilteredList;
  /** The page of the list. */
  page: string;
  /** The built-in filters, before the saved ones. */
  links?: readonly FilterLink[];
  /** Whether there is something to save. */
  isSet: boolean;
};

/** Links to a list with built-in and saved filters, and what can be done with the present one. */
export function FilterLinks({ list, page, links = [], isSet }: Props) {
  const texts = useFrameTexts();
  const saved = useSavedFilters(list);
  const query = savedQuery(useSearch());
  const current = saved.filters?.find((one) => savedQuery(one.query) === query);
  const all = [
    ...links,
    ...(saved.filters ?? []).map((one) => ({
      href: `${page}?${one.query}`,
      text: one.mine ? one.name : texts.sharedFilter(one.name),
      isCurrent: one === current,
    })),
  ];
  return (
    <div className={styles['views']}>
      {all.length > 0 && (
        <nav aria-label={texts.views} className={styles['viewLinks']}>
          {all.map((link) => (
            <OneLink key={link.href} {...link} />
          ))}
        </nav>
      )}
      {isSet && saved.isKnown && !current && <SaveFilter query={query} saved={saved} />}
      {current && <CurrentFilter current={current} saved={saved} />}
    </div>
  );
}

function OneLink({ href, text, isCurrent, counted }: FilterLink) {
  const { locale } = useLocale();
  const current = isCurrent ? ({ 'aria-current': 'page' } as const) : {};
  return (
    <Link href={href} {...current} className={classes(styles['viewLink'], isCurrent && styles['currentView'])}>
      {text}
      {counted && counted.count > 0 && <span className={styles['count']}>{formatCounted(counted, locale)}</span>}
    </Link>
  );
}

type Saved = ReturnType<typeof useSavedFilters>;

function SaveFilter({ query, saved }: { query: string; saved: Saved }) {
  const texts = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  const save = async (values: FormData) => {
    const name = textOf(values, 'name');
    if (name === undefined) return;
    await saved.save({ name, query, shared: values.has('shared') });
    setOpen(false);
    announce(texts.viewSaved(name));
  };
  return (
    <>
      <Button variant="quiet" onPress={() => setOpen(true)}>
        {texts.saveView}
      </Button>
      <Dialog title={texts.saveView} isOpen={isOpen} onOpenChange={setOpen}>
        <Form submit={texts.save} sending={saved} onSubmit={(values) => void save(values).catch(() => undefined)}>
          <Field label={texts.name} name="name" maxLength={60} isRequired autoFocus />
          <Checkbox name="shared">{texts.shareView}</Checkbox>
        </Form>
      </Dialog>
    </>
  );
}

/** What is shared changes only who saved it; an admin can remove it. */
function CurrentFilter({ current, saved }: { current: SavedFilter; saved: Saved }) {
  const texts = useFrameTexts();
  const session = useSession();
  const mayRemove = current.mine || may(session, 'admin');
  const isDefault = saved.byDefault?.id === current.id;
  const remove = async () => {
    await saved.remove(current);
    // Of a colleague's it would make one's own.
    announce(texts.viewRemoved(current.name), current.mine ? { undo: () => saved.save(current) } : {});
  };
  const acts = {
    default: () => saved.setDefault(isDefault ? null : current),
    share: () => saved.save({ ...current, shared: !current.shared }),
    remove,
  };
  return (
    <>
      <MenuTrigger>
        <Button variant="quiet" isPending={saved.isPending}>
          {texts.savedView}
        </Button>
        <Menu
          aria-label={texts.savedView}
          onAction={(key) => void acts[key as keyof typeof acts]().catch(() => undefined)}
        >
          <MenuItem id="default">{isDefault ? texts.noDefault : texts.makeDefault}</MenuItem>
          {current.mine && <MenuItem id="share">{current.shared ? texts.unshareView : texts.shareView}</MenuItem>}
          {mayRemove && <MenuItem id="remove">{texts.removeView}</MenuItem>}
        </Menu>
      </MenuTrigger>
      <ErrorNote error={saved.error} />
    </>
  );
}
