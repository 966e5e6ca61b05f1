import { type ComponentProps, type DragEvent, type ReactNode, useRef, useState, useSyncExternalStore } from 'react';
import { X } from 'lucide-react';
import { Button } from '../controls/button.tsx';
import classes from './files.module.css';
import { formatBytes } from '../../core/text/formats.ts';
import { showInvisible } from '../visible.ts';
import { useFilesText } from '../text.ts';
import type { Upload, Uploads } from './uploads.ts';

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

interface DropZoneProps {
  /** Undefined where no files can be added. */
  readonly onFiles: ((files: readonly File[]) => void) | undefined;
  readonly className?: string | undefined;
  /** Names the part for those who do not see it. */
  readonly label: string;
  /** Says what dropping does, while files are over it. */
  readonly hint: string;
  readonly children: ReactNode;
}

/** A part of a page that takes the files that are dropped on it. The keyboard's way is a `FileButton`. */
export function DropZone({ onFiles, className = '', label, hint, children }: DropZoneProps): ReactNode {
  // Entering a part within leaves the one before: what is over the whole is counted.
  const [depth, setDepth] = useState(0);
  const on = (act: (event: DragEvent, take: (files: readonly File[]) => void) => void) => (event: DragEvent) => {
    if (onFiles === undefined || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    act(event, onFiles);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- files are dropped anywhere on it
    <section
      className={`relative ${className}`}
      aria-label={label}
      onDragEnter={on(() => setDepth((known) => known + 1))}
      onDragLeave={on(() => setDepth((known) => Math.max(0, known - 1)))}
      onDragOver={on(({ dataTransfer }) => {
        dataTransfer.dropEffect = 'copy';
      })}
      onDrop={on(({ dataTransfer }, take) => {
        setDepth(0);
        take([...dataTransfer.files]);
      })}
    >
      {children}
      {depth > 0 && (
        <div className={classes.over} aria-hidden>
          {hint}
        </div>
      )}
    </section>
  );
}

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
            <Button variant="quiet" onClick={() => uploads.retry(upload.key)}>
              {text.retry}
            </Button>
          )}
          <Button
            variant="quiet"
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

function State({ upload, isUploading }: { readonly upload: Upload; readonly isUploading: boolean }): ReactNode {
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
