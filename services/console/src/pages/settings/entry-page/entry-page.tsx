import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Badge } from '../../../components/data-display/badge.tsx';
import { Day } from '../../../components/data-display/values.tsx';
import { Page } from '../../../components/layout/page.tsx';
import { DescriptionList, Section } from '../../../components/layout/sections.tsx';
import { Loaded } from '../../../components/states.tsx';
import { useParents } from '../entries.ts';
import type { Entry } from '../entry.ts';
import { EntrySheet } from '../entry-sheet.tsx';
import { addressLine } from '../entry-table.tsx';
import { type PagedKind, readEntry } from '../kinds.ts';
import { useTexts } from '../texts.ts';
import { EntryCosts } from './entry-costs.tsx';
import { EntryPhoto } from './entry-photo.tsx';
import { EntryTickets } from './entry-tickets.tsx';

export const PlacePage = () => <EntryPage kind="locations" />;
export const EquipmentPage = () => <EntryPage kind="equipments" />;

/** A place or equipment: what is known of it, and its tickets. */
function EntryPage({ kind }: { kind: PagedKind }) {
  const texts = useTexts();
  const { id = '' } = useParams<{ id: string }>();
  const [isEditing, setEditing] = useState(false);
  const query = useQuery({
    queryKey: ['settings', kind, 'one', id],
    queryFn: ({ signal }) => readEntry(kind, id, signal),
  });
  const entry = query.data;
  const edit = entry && <Button onPress={() => setEditing(true)}>{texts.edit}</Button>;
  return (
    <Page title={entry?.name ?? texts[kind]} actions={edit}>
      <Loaded query={query}>
        {(found) => (
          <>
            <Section title={texts.details}>
              <Facts kind={kind} entry={found} />
            </Section>
            <EntryPhoto kind={kind} entry={found} />
            <EntryCosts kind={kind} id={id} />
            <EntryTickets kind={kind} id={id} />
          </>
        )}
      </Loaded>
      {isEditing && entry && <EntrySheet kind={kind} entry={entry} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function Facts({ kind, entry }: { kind: PagedKind; entry: Entry }) {
  const texts = useTexts();
  const { reference, address, facts } = entry;
  const entries: [string, ReactNode][] = [
    [texts.place, facts?.location_id && <NameOf kind="locations" id={facts.location_id} />],
    [texts.reference, reference],
    [texts.address, addressLine(address)],
    [texts.parent, entry.parentId && <NameOf kind={kind} id={entry.parentId} />],
    [texts.make, facts?.make],
    [texts.serialNumber, facts?.serial_number],
    [texts.inServiceSince, facts?.in_service_since && <Day value={facts.in_service_since} />],
    [texts.warrantyUntil, facts?.warranty_until && <Warranty until={facts.warranty_until} />],
  ];
  return <DescriptionList entries={entries} />;
}

/** Another entry, by its name; a dash until the names are loaded, or if it is deleted. */
function NameOf({ kind, id }: { kind: PagedKind; id: string }) {
  const { data } = useParents(kind);
  const named = data?.find((one) => one.id === id);
  return named ? <Link href={`/settings/${kind}/${id}`}>{named.name}</Link> : '–';
}

function Warranty({ until }: { until: string }) {
  const texts = useTexts();
  const isOver = until < new Date().toLocaleDateString('en-CA');
  return (
    <>
      <Day value={until} /> {isOver && <Badge family="neutral">{texts.warrantyOver}</Badge>}
    </>
  );
}
