import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type FilePlace, useReadFile } from '../files/queries.ts';
import { saveFile } from '../../core/browser/save-file.ts';
import { useChatsText } from '../text.ts';

/** A button that reads a file with the user's rights, and has the browser save it. */
export function DownloadButton({ place, name }: { readonly place: FilePlace; readonly name: string }): ReactNode {
  const text = useChatsText().files;
  const toast = useToast();
  const read = useReadFile();
  const download = useMutation({
    mutationFn: async () => saveFile(await read(place), name),
    onError: ({ message }) => toast(message, 'failed'),
  });
  return (
    <Button
      look="quiet"
      busy={download.isPending}
      aria-label={text.downloadOf(showInvisible(name))}
      title={text.download}
      onClick={() => download.mutate()}
    >
      <Download aria-hidden />
    </Button>
  );
}
