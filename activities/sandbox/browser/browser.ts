import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { NODE_WITHOUT_PROXY, PROXY } from '../egress/forwarder.ts';
import type { Connect } from '../egress/gateway.ts';
import type { KillReason } from '../launch.ts';
import type { Sandbox, SandboxState, SandboxUse } from '../sandbox.ts';
import { findChromium, type FoundChromium } from './find-chromium.ts';
import type { GivenVisit, Visit } from './visit.ts';
import { type VisitAnswer, visitAnswerSchema } from './visit-answer.ts';

/** The settings of the browser. */
export interface BrowserSettings {
  /** The path of Chromium, or `off`; looked for unless given. */
  readonly chromium?: string | undefined;
  /** Connects pages to what they may reach. */
  readonly connect: Connect;
}

/** How a visit ended: with an answer, or before it had one. */
export type VisitEnding = { readonly answer: VisitAnswer } | { readonly killedFor: KillReason };

/** There is no browser here, so no page was opened. */
export class BrowserUnavailable extends Error {
  override readonly name = 'BrowserUnavailable';
}

/** The program inside, as a text: the folder of the service is not visible there. */
const DRIVER = readFileSync(new URL('driver.ts', import.meta.url), 'utf8');
const PLAYWRIGHT = dirname(createRequire(import.meta.url).resolve('playwright-core/package.json'));

/** Node, the forwarder and the processes of Chromium have some 150 threads, and more for each frame of another site. */
const MAX_PROCESSES = 512;
/** What Chromium may take to start, and the last look at a page that does not respond. */
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
   * Visits a page when there is a place for it in the sandbox. Throws `BrowserUnavailable` when there is no Chromium,
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
