/** The one change of a repository that a push may make. */
export interface RefUpdate {
  /** The full name, such as `refs/heads/main`. */
  readonly ref: string;
  /** The commit that the server has; undefined for a branch that it does not have. */
  readonly from: string | undefined;
  readonly to: string;
}

/** A push that would do something else, in words for the model. */
export class RefusedPush extends Error {
  override readonly name = 'RefusedPush';
}

/** The list of commands of a push, which comes before the content. */
interface PushCommands {
  /** All bytes that have been read, which may contain the beginning of the content. */
  readonly read: Buffer;
  /** Whether it changes nothing: git asks so whether it may push, before it sends much. */
  readonly isProbe: boolean;
}

/** The longest list that is read, in bytes: where few commits were cloned, all at which the history ends are in it. */
const MAX_LIST = 1_000_000;
/** Said of any other form than the usual one: a server might do more for it than the update. */
export const UNKNOWN_FORM = 'The push request has an unknown format';
const LENGTH = /^[0-9a-f]{4}$/;
const SHALLOW = /^shallow [0-9a-f]{40,64}$/;
/**
 * The capabilities in git's first command. Options of a push are not among them: they can make servers do much else.
 */
const CAPABILITY =
  /^(?:report-status|report-status-v2|side-band-64k|quiet|atomic|ofs-delta|(?:object-format|agent|session-id)=[\x21-\x7e]+)$/;

/**
 * Reads the list of commands at the beginning of a push and throws `RefusedPush` unless it is the update, or nothing at
 * all.
 */
export async function readPushCommands(chunks: AsyncIterator<Buffer>, update: RefUpdate): Promise<PushCommands> {
  const list = new CommandList(chunks);
  const lines: string[] = [];
  for (let line = await list.next(); line !== undefined; line = await list.next()) lines.push(line);
  const isProbe = lines.length === 0;
  if (isProbe) await list.rejectMore();
  else if (!isUpdate(lines.slice(lines.findIndex((line) => !SHALLOW.test(line))), update))
    throw new RefusedPush(onlyWords(update));
  return { read: list.read, isProbe };
}

/** The lines of a list of commands, each of which begins with its length. */
class CommandList {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Begins with what has been read; it doubles, as git may send the bytes one by one. */
  #buffer = Buffer.alloc(65_536);
  #length = 0;
  #at = 0;

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks;
  }

  /** All bytes that have been read. */
  get read(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns the next line, each byte as a character; undefined at the end of the list. */
  async next(): Promise<string | undefined> {
    const digits = await this.#take(4);
    const length = LENGTH.test(digits) ? Number.parseInt(digits, 16) : 1;
    if (length === 0) return undefined;
    if (length <= 4) throw new RefusedPush(UNKNOWN_FORM);
    return (await this.#take(length - 4)).replace(/\n$/, '');
  }

  /** Throws `RefusedPush` when something comes after the list. */
  async rejectMore(): Promise<void> {
    if (this.#length > this.#at || (await this.#chunks.next()).done !== true) throw new RefusedPush(UNKNOWN_FORM);
  }

  async #take(length: number): Promise<string> {
    const end = this.#at + length;
    if (end > MAX_LIST) throw new RefusedPush('The list of what is pushed is too long');
    while (this.#length < end) {
      const { done = false, value } = await this.#chunks.next();
      if (done) throw new RefusedPush('The list of what is pushed breaks off');
      this.#append(value as Buffer);
    }
    const taken = this.#buffer.toString('latin1', this.#at, end);
    this.#at = end;
    return taken;
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#buffer.length));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }
}

function isUpdate([first = '', ...others]: readonly string[], { ref, from, to }: RefUpdate): boolean {
  const [command, capabilities = '', ...rest] = first.split('\0');
  const said = capabilities.split(' ').filter((each) => each !== '');
  const isKnown = others.length === 0 && rest.length === 0 && said.every((each) => CAPABILITY.test(each));
  return isKnown && command === Buffer.from(`${from ?? '0'.repeat(to.length)} ${to} ${ref}`).toString('latin1');
}

function onlyWords({ ref, from = 'nothing', to }: RefUpdate): string {
  return `Only ${ref} can be pushed here, from ${from} to ${to}; when somebody else has pushed meanwhile, call git_push again`;
}
