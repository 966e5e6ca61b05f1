import { newId } from '../../core/browser/browser.ts';
import { Problem } from '../../core/http/problem.ts';

/** A file that the server has. */
export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** A file that is uploaded, or was. */
export interface Upload {
  readonly key: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly state: 'waiting' | 'uploading' | 'ready' | 'failed';
  /** How much of it is sent, from 0 to 1. */
  readonly share: number;
  /** Why it was not taken: what the server has said; '' when it could not be reached. */
  readonly reason: string;
  /** Whether it would be refused again, however often it were sent. */
  readonly isRefused: boolean;
  /** The id of what the server has made of it, once it has. */
  readonly fileId: string | undefined;
}

interface UploadOptions {
  readonly signal: AbortSignal;
  onProgress(share: number): void;
}

interface UploadsOptions {
  /** How many there may be; any number unless given. */
  readonly maxFiles?: number;
  /** Uploads a file; throws a `Problem`. Undefined while there is nothing yet to upload to: the files wait for it. */
  readonly upload?: (file: File, options: UploadOptions) => Promise<UploadedFile>;
  /** Removes an uploaded file that was taken off the list again. */
  discard(fileId: string): void;
  /** Keeps what is uploaded when the page is closed. */
  readonly store?: { read(): string; write(text: string): void };
}

/** A large file does not keep all small ones waiting. */
const MAX_AT_ONCE = 2;

/** Files that are uploaded as soon as they are added, two at a time. */
export class Uploads {
  readonly #options: UploadsOptions;
  readonly #listeners = new Set<() => void>();
  readonly #files = new Map<string, File>();
  readonly #uploads = new Map<string, AbortController>();
  readonly #maxFiles: number;
  #list: readonly Upload[];
  #isClosed = false;

  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#maxFiles = options.maxFiles ?? Number.POSITIVE_INFINITY;
    this.#list = readStored(options.store?.read() ?? '').map(uploaded);
  }

  /** The files in the order in which they were added; the same value until they change. */
  readonly list = (): readonly Upload[] => this.#list;

  /** Calls `listener` after each change, until the returned function is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether there is something to upload to. */
  get isUploading(): boolean {
    return this.#options.upload !== undefined;
  }

  /** Uploads files. Returns how many were not taken, because there is no place for them. */
  add(files: readonly File[]): number {
    const taken = files.slice(0, Math.max(0, this.#maxFiles - this.#list.length));
    const added = taken.map((file) => {
      const key = newId();
      this.#files.set(key, file);
      return {
        key,
        name: file.name,
        size: file.size,
        state: 'waiting',
        share: 0,
        reason: '',
        isRefused: false,
        fileId: undefined,
      } as const;
    });
    this.#set([...this.#list, ...added]);
    this.#uploadNext();
    return files.length - taken.length;
  }

  /** Adds files that the server has already. */
  addStored(files: readonly UploadedFile[]): void {
    const known = new Set(this.#list.map(({ fileId }) => fileId));
    const added = files.filter(({ id }) => !known.has(id)).map(uploaded);
    this.#set([...this.#list, ...added].slice(0, this.#maxFiles));
  }

  /** Uploads a file again that was not taken. */
  retry(key: string): void {
    this.#update(key, { state: 'waiting', reason: '', share: 0 });
    this.#uploadNext();
  }

  /** Takes a file off the list, and from the server. */
  remove(key: string): void {
    const fileId = this.#list.find((each) => each.key === key)?.fileId;
    this.#uploads.get(key)?.abort();
    this.#files.delete(key);
    this.#set(this.#list.filter((each) => each.key !== key));
    if (fileId !== undefined) this.#options.discard(fileId);
    this.#uploadNext();
  }

  /** Takes the uploaded files off the list, and returns their ids: they are somebody else's from now on. */
  take(): readonly string[] {
    const ready = this.#list.flatMap(({ fileId }) => fileId ?? []);
    this.#set(this.#list.filter(({ fileId }) => fileId === undefined));
    return ready;
  }

  /** Ends what is being uploaded. Returns the files that were not, to be added where somebody goes on with them. */
  close(): readonly File[] {
    this.#isClosed = true;
    for (const upload of this.#uploads.values()) upload.abort();
    this.#listeners.clear();
    return this.files();
  }

  /** Returns the files that are not uploaded. */
  files(): readonly File[] {
    return this.#list.flatMap(({ key }) => this.#files.get(key) ?? []);
  }

  #uploadNext(): void {
    if (this.#isClosed) return;
    const waiting = this.#list.filter(({ state }) => state === 'waiting');
    for (const { key } of waiting.slice(0, MAX_AT_ONCE - this.#uploads.size)) void this.#upload(key);
  }

  async #upload(key: string): Promise<void> {
    const file = this.#files.get(key);
    const { upload: send } = this.#options;
    if (file === undefined || send === undefined) return;
    const upload = new AbortController();
    this.#uploads.set(key, upload);
    this.#update(key, { state: 'uploading' });
    try {
      const { signal } = upload;
      const onProgress = (share: number) => this.#update(key, { share });
      const { id } = await send(file, { signal, onProgress });
      this.#settle(key, id, signal);
    } catch (error) {
      const problem = error instanceof Problem && error.status !== 0 ? error : undefined;
      const reason = problem?.fields['file'] ?? problem?.message ?? '';
      this.#update(key, { state: 'failed', reason, isRefused: problem?.isFinal === true });
    } finally {
      this.#uploads.delete(key);
      this.#uploadNext();
    }
  }

  // One that was taken off while the last bytes were on their way is not to stay there.
  #settle(key: string, fileId: string, signal: AbortSignal): void {
    if (signal.aborted) return this.#options.discard(fileId);
    this.#files.delete(key);
    this.#update(key, { state: 'ready', share: 1, fileId });
  }

  #update(key: string, changes: Partial<Upload>): void {
    this.#set(this.#list.map((each) => (each.key === key ? { ...each, ...changes } : each)));
  }

  // What is kept is the next page's once this one is closed.
  #set(list: readonly Upload[]): void {
    if (this.#isClosed) return;
    this.#list = list;
    const stored = list.flatMap(({ fileId, name, size }) => (fileId === undefined ? [] : [{ id: fileId, name, size }]));
    this.#options.store?.write(stored.length === 0 ? '' : JSON.stringify(stored));
    for (const listener of this.#listeners) listener();
  }
}

function uploaded({ id, name, size }: UploadedFile): Upload {
  return { key: id, name, size, state: 'ready', share: 1, reason: '', isRefused: false, fileId: id };
}

function readStored(text: string): readonly UploadedFile[] {
  if (text === '') return [];
  try {
    const kept: unknown = JSON.parse(text);
    return Array.isArray(kept) ? (kept as UploadedFile[]) : [];
  } catch {
    return [];
  }
}
