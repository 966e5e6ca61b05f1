/** A script's module: what it exports. */
interface ScriptModule {
  readonly default?: unknown;
}

/** Ends a script's run: `=` and the JSON of what it returned, or `!`, a class (or `-`) and why it gave up. */
type Ending = `=${string}` | `!${string} ${string}`;

/** What the prelude is given by the process. Both take and return texts only. */
interface ScriptHost {
  /** Sends a request, as JSON; returns its answer, as JSON. */
  readonly send: (request: string) => Promise<string>;
  readonly log: (text: string) => void;
}

/**
 * Runs within the engine, before the script: makes `fetch`, `log` and `console`, and returns the function that runs a
 * module with arguments. It reaches nothing but its parameters and what the language has, since the engine is given its
 * text.
 */
export function prelude({ send, log }: ScriptHost) {
  const { parse, stringify } = JSON;
  const LONGEST_LINE = 1_000;
  const STACK_LINES = 5;
  const LONGEST_CHAIN = 5;

  const describe = (error: unknown): string => {
    if (!(error instanceof Error)) return String(error);
    const place = /main\.js:\d+/.exec(error.stack ?? '')?.[0];
    return `${error.name}: ${error.message}${place === undefined ? '' : ` (${place})`}`;
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
    try {
      if (part instanceof Error) return errorText(part);
      return stringify(part, (_, value: unknown) => (value instanceof Error ? describe(value) : value)) ?? String(part);
    } catch {
      // No JSON: a circle, or a BigInt.
      return String(part);
    }
  };

  const context = { fetch, log: (...parts: unknown[]) => log(parts.map(textOf).join(' ').slice(0, LONGEST_LINE)) };

  // Models write `console.log` whatever they are told.
  const silent = () => undefined;
  const loud = 'log info warn error debug trace dir dirxml table group groupCollapsed'.split(' ');
  const quiet = 'groupEnd time timeEnd timeLog timeStamp count countReset clear profile profileEnd'.split(' ');
  const console = {
    ...Object.fromEntries(loud.map((name) => [name, context.log])),
    ...Object.fromEntries(quiet.map((name) => [name, silent])),
    assert: (holds: unknown, ...parts: unknown[]) => (holds ? undefined : context.log('Assertion failed:', ...parts)),
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
