import { Checkbox } from '../forms/checkbox.tsx';

export type RowSelection<Item> = {
  /** Keys of the selected rows. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** The accessible name of the checkbox of a row: `Select T-118`. */
  nameOf: (item: Item) => string;
  nameOfAll: string;
  /** The checkbox for all rows selects at most this many, the first ones. */
  most: number;
};

type AllProps<Item> = { selection: RowSelection<Item>; keys: readonly string[] };

export function AllRowsBox<Item>({ selection, keys }: AllProps<Item>) {
  const { chosen, onChange, nameOfAll, most } = selection;
  const some = keys.filter((key) => chosen.has(key)).length;
  const isAll = some > 0 && some >= Math.min(keys.length, most);
  return (
    <Checkbox
      aria-label={nameOfAll}
      isSelected={isAll}
      isIndeterminate={some > 0 && !isAll}
      onChange={() => onChange(new Set(isAll ? [] : keys.slice(0, most)))}
    />
  );
}

type RowProps<Item> = { selection: RowSelection<Item>; item: Item; rowKey: string };

export function RowBox<Item>({ selection: { chosen, onChange, nameOf }, item, rowKey }: RowProps<Item>) {
  const change = (isChosen: boolean) => {
    const others = [...chosen].filter((key) => key !== rowKey);
    onChange(new Set(isChosen ? [...others, rowKey] : others));
  };
  return <Checkbox aria-label={nameOf(item)} isSelected={chosen.has(rowKey)} onChange={change} />;
}
