import { useState } from 'react';
import { useFrameTexts } from '../../i18n/locale.tsx';
import { Button } from '../button.tsx';
import { Form } from '../forms/form.tsx';
import { Dialog } from '../overlays/overlay.tsx';
import { FilterControl, type FilterField, type FilterValues, filterOf } from './filter-control.tsx';

type Props<Name extends string> = {
  title: string;
  /** Of the button, while some of these filters are set. */
  counted: (count: number) => string;
  fields: readonly FilterField<Name>[];
  values: FilterValues<Name>;
  /** Called with all values, those of other filters too. */
  onFilter: (values: FilterValues<Name>) => void;
  /** Options that many companies have very many of are read from now on. */
  onOpen?: () => void;
};

/** A button for filters that there is no room for, or that are typed: they are shown in a dialog, and applied together. */
export function FilterDialog<Name extends string>({ title, counted, fields, values, onFilter, onOpen }: Props<Name>) {
  const texts = useFrameTexts();
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    onOpen?.();
    setOpen(true);
  };
  const count = fields.filter(({ name }) => values[name] !== undefined).length;
  return (
    <>
      <Button variant="quiet" aria-haspopup="dialog" onPress={open}>
        {count === 0 ? title : counted(count)}
      </Button>
      <Dialog title={title} isOpen={isOpen} onOpenChange={setOpen}>
        <Form
          submit={texts.applyFilters}
          onSubmit={(sent) => {
            const unset = Object.fromEntries(fields.map(({ name }) => [name, undefined]));
            onFilter({ ...values, ...unset, ...filterOf(fields, sent) });
            setOpen(false);
          }}
        >
          {fields.map((field) => (
            <FilterControl key={field.name} field={field} value={values[field.name]} />
          ))}
        </Form>
      </Dialog>
    </>
  );
}
