import type { ComponentProps } from 'react';
import { Form } from '../forms/form.tsx';
import { Sheet } from './overlay.tsx';

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
