import { type ComponentProps, type ReactNode, useRef } from 'react';
import { Button } from '../controls/button.tsx';

interface FileButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick' | 'children'> {
  /** Names the choice for those who do not see it. */
  readonly label: string;
  /** The endings or media types that can be chosen: `.zip`. */
  readonly accept?: string;
  /** Whether more than one can be chosen. */
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
}

/** A button that lets files be chosen. */
export function FileButton({ label, accept, multiple = false, onFiles, ...button }: FileButtonProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
