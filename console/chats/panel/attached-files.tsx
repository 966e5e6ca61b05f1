import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { formatBytes } from '../../core/text/numbers.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { type ChatFile, useChatFiles, useDeleteFile } from '../files/queries.ts';
import { useChatsText } from '../text.ts';
import { DownloadButton } from './download-button.tsx';
import classes from './panel.module.css';

interface AttachedFilesProps {
  readonly chatId: string;
  readonly isOwner: boolean;
  readonly onShow: (fileId: string) => void;
}

/** Shows the files that people have attached to a chat. */
export function AttachedFiles({ chatId, isOwner, onShow }: AttachedFilesProps): ReactNode {
  const text = useChatsText().files;
  const files = useChatFiles(chatId);
  const [doomed, setDoomed] = useState<ChatFile>();
  const remove = useDeleteFile(chatId);
  return (
    <section className={classes.part}>
      <h3>{text.ofChat}</h3>
      <Loaded query={files}>
        {({ items, total }) => (
          <>
            {items.length === 0 && <p className={classes.soft}>{text.noneOfChat}</p>}
            {items.length < total && <p className={classes.soft}>{text.more(items.length, total)}</p>}
            <ul className={classes.rows}>
              {items.map((file) => (
                <li key={file.id} className={classes.row}>
                  <div className={classes.what}>
                    <button type="button" className={classes.name} onClick={() => onShow(file.id)}>
                      {showInvisible(file.name)}
                    </button>
                    <span className={classes.soft}>{factsOf(file, text.status)}</span>
                  </div>
                  <DownloadButton place={{ chatId, fileId: file.id }} name={file.name} />
                  {isOwner && (
                    <Button
                      look="quiet"
                      aria-label={`${text.delete} ${showInvisible(file.name)}`}
                      onClick={() => setDoomed(file)}
                    >
                      <Trash2 aria-hidden />
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <Confirm
        open={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        title={text.deleteTitle(showInvisible(doomed?.name ?? ''))}
        description={text.deleteLead}
        action={text.delete}
        onConfirm={async () => {
          if (doomed !== undefined) await remove.mutateAsync(doomed.id);
        }}
      />
    </section>
  );
}

function factsOf({ size, status, error }: ChatFile, words: Readonly<Record<ChatFile['status'], string>>): string {
  const state = status === 'failed' && error !== null ? `${words.failed}: ${error}` : words[status];
  return [formatBytes(size), state].filter((fact) => fact !== '').join(' · ');
}
