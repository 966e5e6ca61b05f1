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

const MAX_STACK = 256 * 1024;
/** After so many jobs the time is checked. */
const JOBS_AT_ONCE = 1_000;

/** How a script ended. */
export type ScriptEnding = { readonly json: string } | { readonly issue: string; readonly kind?: string };

/** The effects of a script on the outside, as texts. */
interface ScriptOutlet {
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

/** A script's module: what it exports. */
interface ScriptModule {
  readonly default?: unknown;
}

/** Ends a script's run: `=` and the JSON of what it returned, or `!`, a class (or `-`) and why it gave up. */
type Ending = `=${string}` | `!${string} ${string}`;

/** The interface of the process for the prelude. Both take and return texts only. */
interface ScriptHost {
  /** Sends a request, as JSON; returns its answer, as JSON. */
  readonly send: (request: string) => Promise<string>;
  readonly log: (text: string) => void;
}

/**
 * Runs within the engine, before the script: creates `fetch`, `log` and `console`, and returns the function that runs a
 * module with arguments. It reaches nothing but its parameters and what the language has, since the engine is given its
 * text.
 */
function prelude({ send, log }: ScriptHost) {
  const { parse, stringify } = JSON;
  const LONGEST_LINE = 1_000;
  const STACK_LINES = 5;
  const LONGEST_CHAIN = 5;

  const describe = (error: unknown): string => {
    if (!(error instanceof Error)) return String(error);
    const location = /main\.js:\d+/.exec(error.stack ?? '')?.[0];
    return `${error.name}: ${error.message}${location === undefined ? '' : ` (${location})`}`;
  };

  // That of the request which failed, also when the script has thrown an error of its own because of it.
  const classOf = (error: unknown): string => {
    let cause = error;
    for (let at = 0; at < LONGEST_CHAIN && cause instanceof Error; at += 1) {
      const { class: named } = cause as { class?: unknown };
      if (typeof named === 'string' && /^\w{1,40}$/.test(named)) return named;
      cause = (cause as { cause?: unknown }).cause;
    }
    return '-';
  };

  const headersOf = (given: unknown): [string, string][] => {
    const entries = Array.isArray(given) ? (given as [unknown, unknown][]) : Object.entries(given ?? {});
    return entries.map(([name, value]) => [String(name), String(value)]);
  };

  const answerOf = (text: string) => {
    const { status, url, headers, body } = parse(text) as {
      status: number;
      url: string;
      headers: Record<string, string>;
      body: string;
    };
    const find = (name: unknown) => {
      const key = String(name).toLowerCase();
      return Object.hasOwn(headers, key) ? headers[key] : null;
    };
    return {
      ok: status >= 200 && status < 300,
      status,
      url,
      headers: { get: find, has: (name: unknown) => find(name) !== null, entries: () => Object.entries(headers) },
      text: async () => body,
      json: async () => parse(body) as unknown,
    };
  };

  const fetch = async (url: unknown, { method = 'GET', headers, body }: Record<string, unknown> = {}) => {
    if (body !== undefined && body !== null && typeof body !== 'string') {
      throw new TypeError('The body of a request must be a text; use JSON.stringify for JSON');
    }
    const request = { url: String(url), method: String(method).toUpperCase(), headers: headersOf(headers), body };
    return answerOf(await send(stringify(request)));
  };

  const errorText = ({ name, message, stack = '' }: Error) =>
    [`${name}: ${message}`, ...stack.trim().split('\n', STACK_LINES)].join('\n').trim();

  const textOf = (part: unknown): string => {
    if (typeof part === 'string') return part;
    // JSON has no NaN and no infinite one.
    if (typeof part === 'number') return String(part);
    try {
      if (part instanceof Error) return errorText(part);
      return stringify(part, (_, value: unknown) => (value instanceof Error ? describe(value) : value)) ?? String(part);
    } catch {
      // No JSON: a circle, or a BigInt.
      return String(part);
    }
  };

  const context = { fetch, log: (...parts: unknown[]) => log(parts.map(textOf).join(' ').slice(0, LONGEST_LINE)) };

  // Models write `console.log` whatever the instructions say.
  const silent = () => undefined;
  const loud = 'log info warn error debug trace dir dirxml table group groupCollapsed'.split(' ');
  const quiet = 'groupEnd time timeEnd timeLog timeStamp count countReset clear profile profileEnd'.split(' ');
  const console = {
    ...Object.fromEntries(loud.map((name) => [name, context.log])),
    ...Object.fromEntries(quiet.map((name) => [name, silent])),
    assert: (condition: unknown, ...parts: unknown[]) =>
      condition ? undefined : context.log('Assertion failed:', ...parts),
  };
  Object.defineProperty(globalThis, 'console', { value: console, writable: true, configurable: true });

  return async (module: ScriptModule | Promise<ScriptModule>, args: string): Promise<Ending> => {
    try {
      const { default: main } = await module;
      if (typeof main !== 'function') return '!- main.js must have a default export that is a function';
      const value: unknown = await (main as (args: unknown, given: object) => unknown)(parse(args), context);
      return `=${stringify(value) ?? 'null'}`;
    } catch (error) {
      return `!${classOf(error)} ${describe(error)}`;
    }
  };
}
