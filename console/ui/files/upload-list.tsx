import { X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { formatBytes } from '../../core/text/numbers.ts';
import { Button } from '../controls/button.tsx';
import { showInvisible } from '../visible.ts';
import classes from './files.module.css';
import { useFilesText } from '../text.ts';
import type { Upload, Uploads } from './uploads.ts';

interface UploadListProps {
  readonly label: string;
  readonly uploads: Uploads | undefined;
  readonly list: readonly Upload[];
}

/** Shows files, each with how far its upload is. */
export function UploadList({ label, uploads, list }: UploadListProps): ReactNode {
  const text = useFilesText();
  if (list.length === 0 || uploads === undefined) return null;
  return (
    <ul className="wrap" aria-label={label}>
      {list.map((upload) => (
        <li key={upload.key} className={classes.chip} data-state={upload.state}>
          <span className={classes.name}>{showInvisible(upload.name)}</span>
          <State upload={upload} isUploading={uploads.isUploading} />
          {upload.state === 'failed' && !upload.isRefused && (
            <Button look="quiet" onClick={() => uploads.retry(upload.key)}>
              {text.retry}
            </Button>
          )}
          <Button
            look="quiet"
            aria-label={text.remove(showInvisible(upload.name))}
            onClick={() => uploads.remove(upload.key)}
          >
            <X aria-hidden />
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface StateProps {
  readonly upload: Upload;
  readonly isUploading: boolean;
}

function State({ upload, isUploading }: StateProps): ReactNode {
  const text = useFilesText();
  const { name, size, state, share, reason } = upload;
  if (state === 'uploading')
    return (
      <progress max={1} value={share} aria-label={text.progress(showInvisible(name))} className={classes.progress} />
    );
  if (state === 'failed')
    return (
      <span role="alert" className="danger">
        {text.failed(reason === '' ? text.offline : reason)}
      </span>
    );
  return <span className="faint">{state === 'waiting' && isUploading ? text.waiting : formatBytes(size)}</span>;
}

const NOTHING: readonly Upload[] = [];
const noList = () => NOTHING;
const never = () => () => undefined;

/** Returns the files that are uploaded, and renders anew when they change. */
export function useUploadList(uploads: Uploads | undefined): readonly Upload[] {
  return useSyncExternalStore(uploads?.subscribe ?? never, uploads?.list ?? noList);
}
