import { type ComponentProps, type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';

type FileButtonProps = Pick<ComponentProps<typeof Button>, 'autoFocus' | 'isPending'> & {
  label: string;
  icon?: ReactNode;
  /** Called with one file, or with several if it is `multiple`. */
  onChoose: (files: FileList) => void;
  input: { accept: string; multiple?: boolean; capture?: 'environment' };
};

/** A button that chooses files. */
export function FileButton({ label, icon, onChoose, input, ...button }: FileButtonProps) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        {...input}
        ref={field}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={label}
        onChange={({ target }) => {
          if (target.files) onChoose(target.files);
          // So that the same file can be chosen again.
          target.value = '';
        }}
      />
      <Button {...button} onPress={() => field.current?.click()}>
        {icon}
        {label}
      </Button>
    </>
  );
}
