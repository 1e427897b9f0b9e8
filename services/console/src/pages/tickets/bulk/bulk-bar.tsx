import { Group } from 'react-aria-components';
import { Button } from '../../../components/button.tsx';
import type { Ticket } from '../list-query.ts';
import { useTexts } from '../texts.ts';
import styles from '../tickets.module.css';
import { type BulkOperation, bulkOperations, maxSelected } from './bulk.ts';

type Props = { selected: readonly Ticket[]; onAct: (operation: BulkOperation) => void; onClear: () => void };

/**
 * What can be done with the tickets that are selected. It is shown at the lower edge, over the
 * list, so that no row moves when it appears.
 */
export function BulkBar({ selected, onAct, onClear }: Props) {
  const texts = useTexts();
  if (selected.length === 0) return null;
  const isTooMany = selected.length > maxSelected;
  return (
    <Group aria-label={texts.selectedTickets} className={styles['bulk'] as string}>
      <span role="status">
        {isTooMany ? texts.tooManySelected(selected.length, maxSelected) : texts.selected(selected.length)}
      </span>
      {bulkOperations.map((operation) => (
        <Button key={operation} isDisabled={isTooMany} onPress={() => onAct(operation)}>
          {texts.bulk[operation].name}
        </Button>
      ))}
      <Button variant="quiet" onPress={onClear}>
        {texts.clearSelection}
      </Button>
    </Group>
  );
}
