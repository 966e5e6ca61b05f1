import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { lowerPriority } from '../compute/lower-priority.ts';
import { type CalculatingProcess, startChild } from '../compute/start-child.ts';
import { ToolFailure } from '../tool-failure.ts';
import { LineSplitter } from './line-splitter.ts';
import {
  type HostMessage,
  MAX_FETCHES,
  MAX_LOG_LINES,
  MAX_MESSAGE,
  MAX_OPEN_FETCHES,
  MAX_REQUEST_BODY,
  MAX_RESULT,
  type ScriptAnswer,
} from './messages.ts';

/** A script and the arguments of its function. */
export interface Script {
  readonly source: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A request that a script makes. */
export type ScriptRequest = z.infer<typeof requestSchema>;

/** What a script is given of the outside. */
export interface ScriptHost {
  /** Sends a request. An error that it throws is told to the script by its message. */
  readonly fetch: (request: ScriptRequest, signal: AbortSignal) => Promise<ScriptAnswer>;
  readonly log: (text: string) => void;
}

/** Runs a script in a process of its own; returns the JSON of its result. Throws `ToolFailure` when it gave up. */
export type RunScript = (script: Script, host: ScriptHost) => Promise<string>;

const PROGRAM = fileURLToPath(new URL('child.ts', import.meta.url));
/** A few more than a script may compute: the start takes some, and the engine does not look all the time. */
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
  z.object({ type: z.literal('result'), json: z.string().max(MAX_RESULT) }),
  z.object({ type: z.literal('issue'), message: z.string().max(MAX_MESSAGE) }),
]);

// Keyed by organization; sizes are characters. A script mostly waits, so it does not take the place of a calculation.
const slots = new KeyedSemaphore({
  perKey: 2,
  total: 8,
  maxWaiting: 100,
  maxWaitMs: 20_000,
  maxWaitingSize: 8_000_000,
  createError: () =>
    new ToolFailure('rate_limited', 'Too many scripts of your organization are waiting; try again later'),
});

/** Runs a script in a process of its own, which is killed when the signal aborts and when the script has ended. */
export async function runScript(
  { source, args }: Script,
  host: ScriptHost,
  { orgId, signal }: { readonly orgId: string; readonly signal: AbortSignal },
): Promise<string> {
  const start: HostMessage = { type: 'start', source, args: JSON.stringify(args) };
  const size = source.length + start.args.length;
  return slots.hold(orgId, async () => new ScriptRun(host, signal).run(start), { size, signal });
}

/** One run of a script. */
class ScriptRun {
  readonly #host: ScriptHost;
  readonly #signal: AbortSignal;
  readonly #process: CalculatingProcess;
  readonly #over = new AbortController();
  readonly #ending = Promise.withResolvers<string>();
  readonly #places = new KeyedSemaphore({
    perKey: MAX_OPEN_FETCHES,
    total: MAX_OPEN_FETCHES,
    maxWaiting: MAX_FETCHES,
    createError: () => new Error('Too many requests are waiting'),
  });
  #fetches = 0;
  #lines = 0;

  constructor(host: ScriptHost, signal: AbortSignal) {
    this.#host = host;
    this.#signal = signal;
    signal.throwIfAborted();
    this.#process = startChild(PROGRAM, CPU_SECONDS);
  }

  async run(start: HostMessage): Promise<string> {
    const { stdin, stdout } = this.#process;
    const { promise, reject } = this.#ending;
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    const onAbort = () => reject(this.#signal.reason as Error);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    this.#process.once('error', reject).once('exit', (code, by) => reject(failureOf(code, by)));
    // A broken pipe of an ended process: the process reports its end itself.
    stdin.on('error', () => undefined);
    stdout
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        const lines = splitter.take(chunk);
        if (lines === undefined) this.#tooMuch();
        for (const line of lines ?? []) this.#hear(line);
      });
    lowerPriority(this.#process);
    this.#tell(start);
    try {
      return await promise;
    } finally {
      this.#signal.removeEventListener('abort', onAbort);
      this.#over.abort(new ToolFailure('upstream', 'The script has ended'));
      this.#process.kill('SIGKILL');
    }
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
      case 'result':
        return this.#ending.resolve(message.json);
      case 'issue':
        return this.#ending.reject(new ToolFailure('upstream', message.message));
    }
  }

  // The process itself keeps to these bounds, unless the script has got hold of it.
  #tooMuch(): void {
    this.#ending.reject(new ToolFailure('invalid_input', 'The script writes too much'));
  }

  async #fetch(id: number, given: unknown): Promise<void> {
    try {
      const answer = await this.#places.hold('', async () => this.#send(given), { signal: this.#over.signal });
      this.#tell({ type: 'answer', id, answer });
    } catch (error) {
      if (this.#signal.aborted || this.#over.signal.aborted) return;
      const message = error instanceof Error ? error.message.slice(0, MAX_MESSAGE) : 'The request failed';
      this.#tell({ type: 'failure', id, message });
    }
  }

  async #send(given: unknown): Promise<ScriptAnswer> {
    const request = requestSchema.safeParse(given);
    if (!request.success) {
      const [issue] = request.error.issues;
      throw new Error(`The request is not valid: ${issue?.path.join('.')}: ${issue?.message}`);
    }
    return this.#host.fetch(request.data, AbortSignal.any([this.#signal, this.#over.signal]));
  }

  #tell(message: HostMessage): void {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

// V8 aborts when its heap is full, and the system kills a process that takes too much.
function failureOf(code: number | null, by: NodeJS.Signals | null): ToolFailure {
  if (by !== null) return new ToolFailure('upstream', 'The script needs too much memory or processor time');
  return new ToolFailure('upstream', `The script was aborted (${code})`);
}
