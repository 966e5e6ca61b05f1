import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { describeIssue } from '../../../domain/core/issues.ts';
import { KeyedSemaphore, type Payer } from '../../../domain/core/keyed-semaphore.ts';
import { type CalculatingProcess, startChild } from '../compute/start-child.ts';
import { HttpFailure } from '../context.ts';
import { ProcessDied, TOOL_FAILURE_CLASSES, ToolFailure } from '../tool-failure.ts';
import {
  type HostMessage,
  LineSplitter,
  MAX_COMPUTING_MS,
  MAX_FETCHES,
  MAX_LOG_LINES,
  MAX_MESSAGE,
  MAX_OPEN_FETCHES,
  MAX_REQUEST_BODY,
  MAX_RESULT,
  type ScriptAnswer,
  type ScriptStart,
} from './messages.ts';
import { type ScriptSlot, ScriptSlots } from './script-slots.ts';

/** A request that a script makes. */
export type ScriptRequest = z.infer<typeof requestSchema>;

/** What a script may use of the outside. */
export interface ScriptHost {
  /** Sends a request. The script sees the message and the class of an error that it throws. */
  readonly fetch: (request: ScriptRequest, signal: AbortSignal) => Promise<ScriptAnswer>;
  readonly log: (text: string) => void;
}

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));
/** A few more than a script may compute: the start takes some, and the engine does not check all the time. */
const CPU_SECONDS = 10;
/** The longest line that a process may write, in bytes: the longest request, all of it escaped. */
const MAX_LINE_BYTES = 6 * (MAX_REQUEST_BODY + MAX_RESULT);

const requestSchema = z.strictObject({
  url: z.string().max(16_384),
  method: z.enum(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']),
  headers: z.array(z.tuple([z.string().max(200), z.string().max(8_192)])).max(64),
  body: z.string().max(MAX_REQUEST_BODY).nullish(),
});

// The process has run what a stranger wrote, so what it writes is read like any text from outside.
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('fetch'), id: z.int(), request: z.unknown() }),
  z.object({ type: z.literal('log'), text: z.string().max(MAX_MESSAGE) }),
  z.object({ type: z.literal('waiting') }),
  z.object({ type: z.literal('result'), json: z.string().max(MAX_RESULT) }),
  z.object({
    type: z.literal('issue'),
    message: z.string().max(MAX_MESSAGE),
    kind: z.enum(TOOL_FAILURE_CLASSES).catch('upstream'),
  }),
]);

// Keyed by payer. A script computes until all of it waits, for five seconds in all; no more of a payer
// wait here than have a slot.
const computing = new KeyedSemaphore({
  perKey: 2,
  total: 4,
  maxWaiting: 100,
  createError: () => new ToolFailure('rate_limited', 'Too many scripts of your organization compute; try again later'),
});

/** One run of a script, in a process of its own. */
class ScriptRun {
  readonly #host: ScriptHost;
  readonly #slot: ScriptSlot;
  readonly #signal: AbortSignal;
  readonly #over = new AbortController();
  readonly #ending = Promise.withResolvers<string>();
  readonly #openFetches = new KeyedSemaphore({
    perKey: MAX_OPEN_FETCHES,
    total: MAX_OPEN_FETCHES,
    maxWaiting: MAX_FETCHES,
    createError: () => new Error('Too many requests are waiting'),
  });
  #process: CalculatingProcess | undefined;
  #fetches = 0;
  #lines = 0;
  /** The messages that are not sent to the process yet, or that it works on. */
  #steps = 0;
  #lastStep = Promise.resolve();
  #onRest: (() => void) | undefined;

  constructor(host: ScriptHost, { slot, signal }: { readonly slot: ScriptSlot; readonly signal: AbortSignal }) {
    this.#host = host;
    this.#slot = slot;
    this.#signal = AbortSignal.any([signal, slot.lost]);
  }

  /** Runs it; returns the JSON of its result. The process is killed when the script has ended, and when it has to. */
  async run(start: HostMessage): Promise<string> {
    const { promise, reject } = this.#ending;
    const onAbort = () => reject(this.#signal.reason as Error);
    this.#signal.throwIfAborted();
    this.#signal.addEventListener('abort', onAbort, { once: true });
    this.#post(start);
    try {
      return await promise;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
      this.#over.abort(new ToolFailure('upstream', 'The script has ended'));
      this.#onRest?.();
      this.#process?.kill('SIGKILL');
    }
  }

  // The process is sent one message at a time, each once there is room to compute.
  #post(message: HostMessage): void {
    this.#steps += 1;
    this.#slot.setWaiting(false);
    this.#lastStep = this.#lastStep
      .then(async () => computing.run(this.#slot.payer, async () => this.#work(message), { signal: this.#over.signal }))
      .catch((error: unknown) => this.#ending.reject(error));
  }

  async #work(message: HostMessage): Promise<void> {
    if (this.#over.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRest = resolve;
    this.#process ??= this.#start();
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
    await promise;
    this.#onRest = undefined;
    this.#steps -= 1;
    this.#slot.setWaiting(this.#steps === 0);
  }

  #start(): CalculatingProcess {
    const child = startChild(PROGRAM, CPU_SECONDS);
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    child.once('error', this.#ending.reject).once('exit', (code, by) => this.#ending.reject(failureOf(code, by)));
    // A broken pipe of an ended process: the process reports its end itself.
    child.stdin.on('error', () => undefined);
    child.stdout
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        const lines = splitter.take(chunk);
        if (lines === undefined) this.#tooMuch();
        for (const line of lines ?? []) this.#hear(line);
      });
    return child;
  }

  #hear(line: string): void {
    const json = parseForeignJson(line);
    const message = messageSchema.safeParse('value' in json ? json.value : undefined).data;
    if (message === undefined) return this.#ending.reject(new ToolFailure('upstream', 'The script failed'));
    switch (message.type) {
      case 'fetch':
        this.#fetches += 1;
        return this.#fetches > MAX_FETCHES ? this.#tooMuch() : void this.#fetch(message.id, message.request);
      case 'log':
        this.#lines += 1;
        return this.#lines > MAX_LOG_LINES ? this.#tooMuch() : this.#host.log(message.text);
      case 'waiting':
        return this.#onRest === undefined ? this.#tooMuch() : this.#onRest();
      case 'result':
        return this.#ending.resolve(message.json);
      case 'issue':
        return this.#ending.reject(new ToolFailure(message.kind, message.message));
    }
  }

  // The process itself keeps to these bounds, unless the script has taken it over.
  #tooMuch(): void {
    this.#ending.reject(new ToolFailure('invalid_input', 'The script writes too much'));
  }

  async #fetch(id: number, given: unknown): Promise<void> {
    try {
      const answer = await this.#openFetches.run('', async () => this.#send(given), { signal: this.#over.signal });
      this.#post({ type: 'answer', id, answer });
    } catch (error) {
      if (this.#signal.aborted || this.#over.signal.aborted) return;
      const message = error instanceof Error ? error.message.slice(0, MAX_MESSAGE) : 'The request failed';
      const kind = error instanceof HttpFailure || error instanceof ToolFailure ? error.kind : 'upstream';
      this.#post({ type: 'failure', id, kind, message });
    }
  }

  async #send(given: unknown): Promise<ScriptAnswer> {
    const request = requestSchema.safeParse(given, { error: describeIssue });
    if (!request.success) {
      const [issue] = request.error.issues;
      throw new ToolFailure('invalid_input', `The request is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    return this.#host.fetch(request.data, AbortSignal.any([this.#signal, this.#over.signal]));
  }
}

// V8 aborts when its heap is full, and the system kills a process that takes too much.
function failureOf(code: number | null, by: NodeJS.Signals | null): ProcessDied {
  if (by !== null) return new ProcessDied('upstream', 'The script needs too much memory or processor time');
  return new ProcessDied('upstream', `The script was aborted (${code})`);
}

/** A script and the arguments of its function. */
interface Script {
  readonly source: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Runs a script in a process of its own; returns the JSON of its result. Throws `ToolFailure` when it gave up. */
export type RunScript = (script: Script, host: ScriptHost) => Promise<string>;

// Sizes are characters. A process that waits takes some 50 MB, and one whose script fills its memory 130 MB.
const slots = new ScriptSlots({
  perPayer: 4,
  total: 16,
  graceMs: 5_000,
  maxWaiting: 100,
  maxWaitMs: 20_000,
  maxWaitingSize: 8_000_000,
});

/** For whom a script runs, and until when. */
interface ScriptUse {
  readonly payer: Payer;
  readonly signal: AbortSignal;
  /** The processor time that it may take, in milliseconds. */
  readonly computingMs?: number;
}

/** Runs a script in a process of its own, which is killed when the signal aborts and when the script has ended. */
export async function runScript(
  { source, args }: Script,
  host: ScriptHost,
  { payer, signal, computingMs = MAX_COMPUTING_MS }: ScriptUse,
): Promise<string> {
  const start: ScriptStart = { type: 'start', source, args: JSON.stringify(args), computingMs };
  const size = source.length + start.args.length;
  return slots.run(payer, async (slot) => new ScriptRun(host, { slot, signal }).run(start), { size, signal });
}
