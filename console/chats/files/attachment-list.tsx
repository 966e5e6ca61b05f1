import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatBytes } from '../../core/text/numbers.ts';
import { Button } from '../../ui/controls/button.tsx';
import { showInvisible } from '../../ui/visible.ts';
import { useChatsText } from '../text.ts';
import type { Attachment } from './attachments.ts';
import classes from './files.module.css';
import type { Attaching } from './use-attachments.ts';

/** Shows the files beside the message that is being written, each with how far its upload is. */
export function AttachmentList({ attachments, list }: Attaching): ReactNode {
  const text = useChatsText().files;
  if (list.length === 0 || attachments === undefined) return null;
  return (
    <ul className={classes.chips} aria-label={text.label}>
      {list.map((attachment) => (
        <li key={attachment.key} className={classes.chip} data-state={attachment.state}>
          <span className={classes.name}>{showInvisible(attachment.name)}</span>
          <State attachment={attachment} isUploading={attachments.isUploading} />
          {attachment.state === 'failed' && (
            <Button look="quiet" onClick={() => attachments.retry(attachment.key)}>
              {text.retry}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={text.remove(showInvisible(attachment.name))}
            onClick={() => attachments.remove(attachment.key)}
          >
            <X aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface StateProps {
  readonly attachment: Attachment;
  readonly isUploading: boolean;
}

function State({ attachment, isUploading }: StateProps): ReactNode {
  const text = useChatsText().files;
  const { name, size, state, share, reason } = attachment;
  if (state === 'uploading')
    return (
      <progress max={1} value={share} aria-label={text.progress(showInvisible(name))} className={classes.progress} />
    );
  if (state === 'failed')
    return (
      <span role="alert" className={classes.failed}>
        {text.failed(reason === '' ? text.offline : reason)}
      </span>
    );
  return <span className={classes.soft}>{state === 'waiting' && isUploading ? text.waiting : formatBytes(size)}</span>;
}
