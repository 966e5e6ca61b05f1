import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { z } from 'zod';
import { NODE_WITHOUT_PROXY, PROXY } from '../egress/forwarder.ts';
import type { Connect } from '../egress/gateway.ts';
import type { KillReason } from '../launch.ts';
import type { Sandbox, SandboxState, SandboxUse } from '../sandbox.ts';
import type { GivenVisit, Visit } from './visit.ts';

/** The settings of the browser. */
interface BrowserSettings {
  /** The path of Chromium, or `off`; by default it is searched for. */
  readonly chromium?: string | undefined;
  /** Connects pages to what they may reach. */
  readonly connect: Connect;
}

/** How a visit ended: with an answer, or before it had one. */
type VisitEnding = { readonly answer: VisitAnswer } | { readonly killedFor: KillReason };

/** There is no browser here, so no page was opened. */
export class BrowserUnavailable extends Error {
  override readonly name = 'BrowserUnavailable';
}

/** The program inside, as a text: the folder of the service is not visible there. */
const DRIVER = readFileSync(new URL('driver.ts', import.meta.url), 'utf8');
const PLAYWRIGHT = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));

/** Node, the forwarder and the processes of Chromium have some 150 threads, and more for each frame of another site. */
const MAX_PROCESSES = 512;

/** How long Chromium may take to start, and to read the final state of a page that does not respond. */
const STARTING_MS = 40_000;

/** A Chromium that did not start is tried again after so long. */
const TRY_AGAIN_MS = 5 * 60_000;

/** Visits pages with Chromium, each in a sandbox and a browser of its own that knows nothing of others. */
export class Browser {
  readonly #sandbox: Pick<Sandbox, 'run' | 'state'>;
  readonly #settings: BrowserSettings;
  #broken: { readonly stamp: string; readonly reason: string; readonly since: number } | undefined;

  constructor(sandbox: Pick<Sandbox, 'run' | 'state'>, settings: BrowserSettings) {
    this.#sandbox = sandbox;
    this.#settings = settings;
  }

  /** Whether pages can be visited here, and in words why not. */
  get state(): SandboxState {
    const { state } = this.#sandbox;
    if (!state.isAvailable) return { isAvailable: false, reason: `there is no sandbox: ${state.reason}` };
    try {
      this.#found();
      return { isAvailable: true };
    } catch (error) {
      return { isAvailable: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /**
   * Visits a page once the sandbox has a free slot. Throws `BrowserUnavailable` when there is no Chromium,
   * what the sandbox throws, and the signal's reason.
   */
  async visit(visit: Visit, use: SandboxUse): Promise<VisitEnding> {
    const chromium = this.#found();
    const given: GivenVisit = { ...visit, chromium: chromium.path, proxy: PROXY };
    const ending = await this.#sandbox.run(
      {
        command: [...NODE_WITHOUT_PROXY, '--input-type=module-typescript', '--eval', DRIVER],
        stdin: JSON.stringify(given),
        library: PLAYWRIGHT,
        isConfiner: true,
        processes: MAX_PROCESSES,
        network: true,
        connect: this.#settings.connect,
        timeoutMs: visit.timeoutMs + STARTING_MS,
      },
      use,
    );
    if (ending.killedFor !== undefined) return { killedFor: ending.killedFor };
    const answer = answerOf(ending.stdout.toString());
    if (answer === undefined) {
      const said = ending.stderr.toString().trim().slice(-500);
      throw new BrowserUnavailable(`the browser ended without an answer${said === '' ? '' : `: ${said}`}`);
    }
    if (!('fault' in answer)) return { answer };
    const reason = `Chromium does not start: ${answer.fault.replaceAll(/\s+/g, ' ')}`;
    // On a busy machine it may start the next time.
    if (!answer.fault.includes('Timeout')) this.#broken = { stamp: chromium.stamp, reason, since: performance.now() };
    throw new BrowserUnavailable(reason);
  }

  #found(): FoundChromium {
    const found = findChromium(this.#settings.chromium);
    const broken = this.#broken;
    const isBroken = broken?.stamp === found.stamp && performance.now() - broken.since < TRY_AGAIN_MS;
    if (isBroken) throw new BrowserUnavailable(broken.reason);
    return found;
  }
}

function answerOf(written: string) {
  try {
    return visitAnswerSchema.safeParse(JSON.parse(written)).data;
  } catch {
    return undefined;
  }
}

/** A Chromium that can be used, and a text that changes when its file does. */
interface FoundChromium {
  readonly path: string;
  readonly stamp: string;
}

/** Where the packages of systems put the program itself; what is on the PATH is often a script that needs more. */
const SEARCHED = [
  '/usr/lib/chromium/chromium',
  '/usr/lib/chromium-browser/chromium-browser',
  '/usr/lib64/chromium-browser/chromium-browser',
];
const REMEDY = 'install the package chromium (apt install chromium)';

/** Finds Chromium at the given path, or else where systems install it; throws in words why it cannot be used. */
export function findChromium(given: string | undefined): FoundChromium {
  if (given === 'off') throw new Error('the operator has turned the browser off');
  const path = given ?? SEARCHED.find(isExecutable);
  if (path === undefined) throw new Error(`Chromium is not installed: ${REMEDY}`);
  if (!isExecutable(path)) throw new Error(`${path} is not there or cannot be run: ${REMEDY}`);
  const real = realpathSync(path);
  if (!real.startsWith('/usr/')) throw new Error(`${path} is not below /usr, which is all that the sandbox shows`);
  const { ino, size, mtimeMs } = statSync(real);
  return { path: real, stamp: [real, ino, size, mtimeMs].join(' ') };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

const MAX_TEXT = 500_000;
const MAX_FILE = 10_000_000;
const words = z.string().max(4_000);
const result = z.object({
  text: z.string().max(MAX_TEXT).optional(),
  links: z
    .array(z.object({ text: words, url: words }))
    .max(1_000)
    .optional(),
  file: z
    .string()
    .max(MAX_FILE)
    .transform((base64) => Buffer.from(base64, 'base64'))
    .optional(),
});

/** The answer of the program inside. It may contain anything, because the page may have taken the browser over. */
const visitAnswerSchema = z.union([
  z.object({ fault: words }),
  result.extend({
    /** Where the page was at the end. */
    url: words,
    /** That of the last document; null when none has come. */
    status: z.int().nullable(),
    /** The results of the steps that ran. */
    results: z.array(result).max(100),
    /** The step that failed, 0 for opening the page, and why. */
    failure: z.object({ step: z.int().min(0).max(100), message: words }).optional(),
    title: words.optional(),
    /** Why the page at the end could not be shown. */
    outputFailure: words.optional(),
    /** How often it asked something, and began a download; the addresses of windows it opened. */
    dialogs: z.int(),
    downloads: z.int(),
    popups: z.array(words).max(100),
  }),
]);

/** The result of a visit. */
export type VisitAnswer = Exclude<z.output<typeof visitAnswerSchema>, { readonly fault: string }>;
