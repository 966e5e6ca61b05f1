import { type DragEvent, type ReactNode, useState } from 'react';
import classes from './files.module.css';

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
