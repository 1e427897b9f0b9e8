import type { ComponentProps } from 'react';
import { Sheet } from '../overlays/overlay.tsx';
import { Form } from './form.tsx';

type FormSheetProps = Omit<ComponentProps<typeof Form>, 'onCancel'> & {
  title: string;
  isOpen?: boolean;
  onClose: () => void;
};

/** A sheet with a form. */
export function FormSheet({ title, isOpen = true, onClose, ...form }: FormSheetProps) {
  return (
    <Sheet title={title} isOpen={isOpen} onOpenChange={onClose}>
      <Form {...form} onCancel={onClose} />
    </Sheet>
  );
}
