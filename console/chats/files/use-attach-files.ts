import { useToast } from '../../ui/overlays/toast.tsx';
import { useChatsText } from '../text.ts';
import type { Attaching } from './use-attachments.ts';

/** Returns what attaches files to the message that is being written, and says how many it has no place for. */
export function useAttachFiles({ attachments }: Attaching): ((files: readonly File[]) => void) | undefined {
  const text = useChatsText().files;
  const toast = useToast();
  if (attachments === undefined) return undefined;
  return (files) => {
    const rejected = attachments.add(files);
    if (rejected > 0) toast(text.tooMany(rejected), 'failed');
  };
}
