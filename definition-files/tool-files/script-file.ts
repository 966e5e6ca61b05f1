import { getLineInfo, parse } from 'acorn';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../domain/core/app-error.ts';
import { KeyedSemaphore, type Payer } from '../../domain/core/keyed-semaphore.ts';
import { faultOf } from '../definition-fault.ts';

/** The newest version of the language that the engine of scripts reads. */
const ECMA_VERSION = 2025;

/**
 * Returns why a text is no module that the engine of scripts could run, or `undefined`. It is read and never run. A
 * text of the largest size can take long: `script-file.ts` reads those of strangers in a thread.
 */
export function scriptIssue(source: string): string | undefined {
  try {
    const { body } = parse(source, { ecmaVersion: ECMA_VERSION, sourceType: 'module' });
    const importing = body.find((each) => 'source' in each && each.source);
    return (
      importing && `imports another module, and there is none ${positionText(getLineInfo(source, importing.start))}`
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The library adds the position to its message, and counts columns from 0.
    const { message, loc } = error as SyntaxError & { readonly loc: SourcePosition };
    return `cannot be read as JavaScript: ${message.slice(0, message.lastIndexOf(' ('))} ${positionText(loc)}`;
  }
}

interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

function positionText({ line, column }: SourcePosition): string {
  return `(line ${line}, column ${column + 1})`;
}

/** The file that contains the function of a tool. */
export const SCRIPT_FILE = 'main.js';

/** A file up to this size is read within some milliseconds, however it is written: a thread takes hundreds to start. */
const MAX_SMALL_CHARACTERS = 8_192;
const THREAD = new URL('script-thread.ts', import.meta.url);
/** What reading a file of the largest size usually takes is far below: 0.3 seconds, and 30 megabytes. */
const MAX_MS = 10_000;
const MAX_MEGABYTES = 128;
const MAX_THREADS = 2;
const MAX_WAITING = 20;

const threads = new KeyedSemaphore({
  perKey: 1,
  total: MAX_THREADS,
  maxWaiting: MAX_WAITING,
  maxWaitMs: 3 * MAX_MS,
  createError: () =>
    new AppError('unavailable', `Too many files named ${SCRIPT_FILE} are being checked; try again`, {
      retryAfterSeconds: 1,
    }),
});

/**
 * Checks the syntax of a main.js; throws what is wrong with it. A large one is read in a thread, which is ended when it
 * takes long, one of an owner at a time: the parser needs quadratic time for some texts, such as one with very many
 * names.
 */
export async function checkScriptFile(content: string, owner: string | Payer): Promise<void> {
  const issue =
    content.length <= MAX_SMALL_CHARACTERS
      ? scriptIssue(content)
      : await threads.run(owner, async () => readInThread(content));
  if (issue !== undefined) throw faultOf(SCRIPT_FILE, issue);
}

async function readInThread(content: string): Promise<string | undefined> {
  const thread = new Worker(THREAD, {
    workerData: content,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  try {
    const [{ issue }] = (await once(thread, 'message', { signal: AbortSignal.timeout(MAX_MS) })) as [Reading];
    return issue;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ABORT_ERR') return 'takes too long to read';
    if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'takes too much memory to read';
    throw error;
  } finally {
    await thread.terminate();
  }
}

interface Reading {
  readonly issue: string | undefined;
}
