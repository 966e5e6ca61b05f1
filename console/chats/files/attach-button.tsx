import { Paperclip } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useChatsText } from '../text.ts';

/** A button that lets files be chosen. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const { attach } = useChatsText().files;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button look="quiet" aria-label={attach} title={attach} onClick={() => input.current?.click()}>
        <Paperclip aria-hidden />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={attach}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          // The same file can be chosen again.
          target.value = '';
        }}
      />
    </>
  );
}
