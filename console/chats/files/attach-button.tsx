import { Paperclip } from 'lucide-react';
import type { ReactNode } from 'react';
import { FileButton } from '../../ui/files/file-button.tsx';
import { useChatsText } from '../text.ts';

/** A button that lets files be chosen. */
export function AttachButton({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }): ReactNode {
  const { attach } = useChatsText().files;
  return (
    <FileButton look="quiet" label={attach} aria-label={attach} title={attach} multiple onFiles={onFiles}>
      <Paperclip aria-hidden />
    </FileButton>
  );
}
