import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSDeferredPromise,
  type QuickJSHandle,
} from 'quickjs-emscripten-core';
import {
  MAX_COMPUTING_MS,
  MAX_FETCHES,
  MAX_MEMORY,
  MAX_MESSAGE,
  MAX_RESULT,
  type ScriptFailure,
  type ScriptStart,
} from './messages.ts';
import { prelude } from './prelude.ts';

const MAX_STACK = 256 * 1024;
/** After so many jobs the time is looked at. */
const JOBS_AT_ONCE = 1_000;

/** How a script ended. */
export type ScriptEnding = { readonly json: string } | { readonly issue: string; readonly kind?: string };

/** What a script does to the outside, as texts. */
export interface ScriptOutlet {
  /** Sends a request, which is JSON; it is answered by `settle`. */
  readonly send: (id: number, request: string) => void;
  readonly log: (text: string) => void;
}

/** A script in an engine of its own, which has no way out but texts. */
export class ScriptEngine {
  readonly #context: QuickJSContext;
  readonly #outlet: ScriptOutlet;
  readonly #open = new Map<number, QuickJSDeferredPromise>();
  #result: QuickJSHandle | undefined;
  readonly #usedBefore = process.cpuUsage();
  #computingMs = MAX_COMPUTING_MS;
  #requests = 0;
  #isOverdue = false;

  private constructor(context: QuickJSContext, outlet: ScriptOutlet) {
    this.#context = context;
    this.#outlet = outlet;
  }

  static async create(outlet: ScriptOutlet): Promise<ScriptEngine> {
    const module = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'));
    const runtime = module.newRuntime();
    runtime.setMemoryLimit(MAX_MEMORY);
    runtime.setMaxStackSize(MAX_STACK);
    const engine = new ScriptEngine(runtime.newContext(), outlet);
    runtime.setInterruptHandler(() => engine.#isLate());
    return engine;
  }

  /** Begins to run a module; returns how it ended, unless it waits for an answer. */
  start({ source, args, computingMs }: ScriptStart): ScriptEnding | undefined {
    this.#computingMs = computingMs;
    return this.#computing(() => {
      const context = this.#context;
      const host = context.newObject();
      context.setProp(
        host,
        'send',
        context.newFunction('send', (request) => this.#send(request)),
      );
      context.setProp(
        host,
        'log',
        context.newFunction('log', (text) => this.#log(text)),
      );
      const make = context.unwrapResult(context.evalCode(`(${prelude.toString()})`, 'everturn.js'));
      const run = context.unwrapResult(context.callFunction(make, context.undefined, host));
      const module = context.evalCode(source, 'main.js', { type: 'module' });
      if (module.error !== undefined) return { issue: this.#describe(module.error) };
      this.#result = context.unwrapResult(
        context.callFunction(run, context.undefined, module.value, context.newString(args)),
      );
      return this.#goOn();
    });
  }

  /** Gives the script the answer to a request, as JSON, or says why there is none; returns how it ended, if it did. */
  settle(
    id: number,
    outcome: { readonly answer: string } | { readonly failure: ScriptFailure },
  ): ScriptEnding | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    this.#open.delete(id);
    return this.#computing(() => {
      if ('answer' in outcome) this.#context.newString(outcome.answer).consume((text) => open.resolve(text));
      else this.#errorOf(outcome.failure).consume((error) => open.reject(error));
      return this.#goOn();
    });
  }

  // A script that does not catch it fails with its class.
  #errorOf({ kind, message }: ScriptFailure): QuickJSHandle {
    const error = this.#context.newError(message);
    this.#context.newString(kind).consume((text) => this.#context.setProp(error, 'class', text));
    return error;
  }

  // Runs what can be run until everything waits.
  #goOn(): ScriptEnding | undefined {
    const { runtime } = this.#context;
    while (!this.#isOverdue && runtime.hasPendingJob()) {
      const jobs = runtime.executePendingJobs(JOBS_AT_ONCE);
      if (jobs.error !== undefined) return { issue: this.#describe(jobs.error) };
      this.#isLate();
    }
    if (this.#result === undefined) return undefined;
    const state = this.#context.getPromiseState(this.#result);
    if (state.type === 'fulfilled') return endingOf(this.#context.getString(state.value));
    if (state.type === 'rejected') return { issue: this.#describe(state.error) };
    return this.#open.size > 0 ? undefined : { issue: 'The function waits for something that never happens' };
  }

  #computing(work: () => ScriptEnding | undefined): ScriptEnding | undefined {
    try {
      const ending = work();
      return this.#isOverdue ? this.#tooLong() : ending;
    } catch (error) {
      // The engine itself gave up.
      return this.#isOverdue ? this.#tooLong() : { issue: describeFault(error) };
    }
  }

  // The engine asks after ten thousand steps, each of which may be a call from here.
  #throwIfLate(): void {
    if (this.#isLate()) throw new Error('interrupted');
  }

  #isLate(): boolean {
    const { user, system } = process.cpuUsage(this.#usedBefore);
    this.#isOverdue ||= (user + system) / 1000 > this.#computingMs;
    return this.#isOverdue;
  }

  #tooLong(): ScriptEnding {
    return { issue: `The script computed for more than ${this.#computingMs / 1000} seconds`, kind: 'timeout' };
  }

  #send(request: QuickJSHandle): QuickJSHandle {
    this.#throwIfLate();
    if (this.#requests === MAX_FETCHES) throw new Error(`A call may make ${MAX_FETCHES} requests at most`);
    const open = this.#context.newPromise();
    const id = this.#requests;
    this.#requests += 1;
    this.#open.set(id, open);
    this.#outlet.send(id, this.#context.getString(request));
    return open.handle;
  }

  #log(text: QuickJSHandle): void {
    this.#throwIfLate();
    this.#outlet.log(this.#context.getString(text));
  }

  #describe(error: QuickJSHandle): string {
    const { name, message } = (this.#context.dump(error) ?? {}) as { name?: unknown; message?: unknown };
    return typeof message === 'string' ? `${String(name)}: ${message}`.slice(0, MAX_MESSAGE) : 'The script failed';
  }
}

function endingOf(text: string): ScriptEnding {
  if (!text.startsWith('=')) return issueOf(text.slice(1));
  return text.length > MAX_RESULT ? { issue: `The result exceeds ${MAX_RESULT} characters` } : { json: text.slice(1) };
}

// Its class, a space, and its words.
function issueOf(text: string): ScriptEnding {
  const end = text.indexOf(' ');
  return { issue: text.slice(end + 1, end + 1 + MAX_MESSAGE), kind: text.slice(0, end) };
}

function describeFault(error: unknown): string {
  if (error instanceof RangeError) return 'The script nests too deep';
  return `The script failed: ${error instanceof Error ? error.message.slice(0, MAX_MESSAGE) : 'the engine stopped'}`;
}
