import { closeSync, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';

/** A part's log file. It never grows beyond a bound, and a full disk costs lines, not the part. */
export type PartLog = {
  readonly path: string;
  write(text: string): void;
  /** Returns the last lines of the file. */
  tail(lines: number): string;
};

/** Opens a log for appending. When it reaches the bound it is renamed to `<path>.1`, which replaces the one before. */
export function openPartLog(path: string, options: { maxBytes?: number } = {}): PartLog {
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  let descriptor = openSync(path, 'a+', 0o600);
  let size = fstatSync(descriptor).size;
  const rotate = (): void => {
    closeSync(descriptor);
    renameSync(path, `${path}.1`);
    descriptor = openSync(path, 'a+', 0o600);
    size = 0;
  };
  return {
    path,
    write: (text) => {
      try {
        if (size >= maxBytes) rotate();
        size += writeSync(descriptor, text);
      } catch {
        // The disk is full or the folder is gone. The part itself must not suffer from its log.
      }
    },
    tail: (lines) => {
      const buffer = Buffer.alloc(Math.min(size, 16_384));
      try {
        readSync(descriptor, buffer, 0, buffer.length, Math.max(0, size - buffer.length));
      } catch {
        return '';
      }
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    },
  };
}

/** Returns the path and the last lines of a log, to close a message with. */
export function endOfLog(log: PartLog): string {
  return `${log.path}:\n${log.tail(15).replace(/^/gm, '  ')}`;
}
