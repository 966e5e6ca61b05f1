import type { WorkspaceRef } from '../../../../db/workspaces/contents.ts';
import { markNamesOf, recordNameOf } from '../edit-record.ts';
import { openWorkspace } from '../open-workspace.ts';
import type { Quota } from '../quota.ts';
import type { LentFolder, Workspace } from '../workspace.ts';
import type { WorkspacePath } from '../workspace-path.ts';
import type { Touched } from './find-changes.ts';
import type { LocalCopies } from './local-copies.ts';
import type { LocalCopy } from './local-copy.ts';

interface TravelOptions {
  readonly ref: WorkspaceRef;
  readonly quota?: Partial<Quota>;
  /** Ends what waits. */
  readonly signal: AbortSignal;
}

/**
 * Opens the workspace of a chat wherever its files are: they are restored on this worker if need be, and what an
 * operation changes is stored before it returns. For one call.
 */
export function travellingWorkspace(copies: LocalCopies, options: TravelOptions): Workspace {
  return new TravellingWorkspace(copies, options);
}

class TravellingWorkspace implements Workspace {
  readonly #copies: LocalCopies;
  readonly #options: TravelOptions;
  /** The copy that was brought up to date for this call. */
  #fresh: LocalCopy | undefined;

  constructor(copies: LocalCopies, options: TravelOptions) {
    this.#copies = copies;
    this.#options = options;
  }

  async read(...args: Parameters<Workspace['read']>) {
    return this.#read(async (own) => own.read(...args));
  }

  async isForeign(path: WorkspacePath) {
    return this.#read(async (own) => own.isForeign(path));
  }

  async list(...args: Parameters<Workspace['list']>) {
    return this.#read(async (own) => own.list(...args));
  }

  async *readChunks(path: WorkspacePath, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const copy = this.#copies.enter(this.#options.ref);
    try {
      await this.#refresh(copy);
      yield* this.#in(copy).readChunks(path, signal);
    } finally {
      await this.#copies.leave(copy);
    }
  }

  async write(...[path, content, options]: Parameters<Workspace['write']>) {
    const touched = [...way(path), ...(options.isForeign ? marksOf(path) : [])];
    return this.#change(touched, async (own) => own.write(path, content, options));
  }

  async edit(...[path, options, change]: Parameters<Workspace['edit']>) {
    const touched = [...way(path), ...(options.isForeign ? marksOf(path) : []), recordOf(options.key)];
    return this.#change(touched, async (own) => own.edit(path, options, change));
  }

  async move(...[from, to, options, signal]: Parameters<Workspace['move']>) {
    const touched = [tree(from), ...way(to.slice(0, -1)), tree(to), recordOf(options.key), EVERY_MARK];
    return this.#change(touched, async (own) => own.move(from, to, options, signal));
  }

  async remove(...[path, options, signal]: Parameters<Workspace['remove']>) {
    return this.#change(path.length === 0 ? [] : [tree(path)], async (own) => own.remove(path, options, signal));
  }

  async lend<T>(options: Parameters<Workspace['lend']>[0], work: (folder: LentFolder) => Promise<T>): Promise<T> {
    if (options.access === 'read') return this.#read(async (own) => own.lend(options, work));
    return this.#change([EVERY_FILE, EVERY_MARK], async (own) => own.lend(options, work));
  }

  async #read<T>(work: (own: Workspace) => Promise<T>): Promise<T> {
    return this.#use(async (copy) => {
      await this.#refresh(copy);
      return work(this.#in(copy));
    });
  }

  async #change<T>(touched: readonly Touched[], work: (own: Workspace) => Promise<T>): Promise<T> {
    return this.#use(async (copy) => copy.change(this.#options.signal, touched, async () => work(this.#in(copy))));
  }

  async #use<T>(work: (copy: LocalCopy) => Promise<T>): Promise<T> {
    const copy = this.#copies.enter(this.#options.ref);
    try {
      return await work(copy);
    } finally {
      await this.#copies.leave(copy);
    }
  }

  // Once for a call: changes of concurrent calls may as well come later.
  async #refresh(copy: LocalCopy): Promise<void> {
    if (this.#fresh === copy) return;
    await copy.refresh(this.#options.signal);
    this.#fresh = copy;
  }

  #in({ root }: LocalCopy): Workspace {
    const { ref, quota } = this.#options;
    return openWorkspace({ root, ...ref, ...(quota !== undefined && { quota }) });
  }
}

const EVERY_FILE: Touched = { part: 'files', path: '', isTree: true };
const EVERY_MARK: Touched = { part: 'marks', path: '', isTree: true };

/** The entry at a path, and the folders on the way to it. */
function way(path: WorkspacePath): Touched[] {
  return path.map((_, at) => ({ part: 'files', path: path.slice(0, at + 1).join('/'), isTree: false }));
}

function tree(path: WorkspacePath): Touched {
  return { part: 'files', path: path.join('/'), isTree: true };
}

function recordOf(key: string): Touched {
  return { part: 'edits', path: recordNameOf(key), isTree: false };
}

function marksOf(path: WorkspacePath): Touched[] {
  return markNamesOf(path).map((name) => ({ part: 'marks', path: name, isTree: false }));
}
