import { setTimeout as sleep } from 'node:timers/promises';
import type { Payers } from '../../../db/core/sql-pool.ts';
import { CLI_PROVIDERS, type CliProvider } from '../../../domain/providers/credential-forms.ts';
import { KeyedSemaphore } from '../../../domain/core/keyed-semaphore.ts';
import { CliProcess, type CliRun, findCli, type FoundCli } from '../../sandbox/cli/cli-process.ts';
import type { Connect } from '../../sandbox/egress/gateway.ts';
import { type Sandbox, SandboxUnavailable } from '../../sandbox/sandbox.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { claudeCode } from './programs/claude-code.ts';
import type { CliProgram } from './programs/cli-program.ts';
import { codex } from './programs/codex.ts';
import { geminiCli } from './programs/gemini-cli.ts';

/** The programs that this version knows. */
export const CLI_PROGRAMS: Readonly<Record<CliProvider, CliProgram>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
};

/** The programs of the operator. */
export interface CliSettings {
  readonly offered: readonly CliProvider[];
  /** Their paths; by default they are searched for. */
  readonly paths: Readonly<Partial<Record<CliProvider, string | undefined>>>;
  readonly payers: Pick<Payers, 'of'>;
  readonly sandbox: Pick<Sandbox, 'start'>;
  /** Connects them, within the hosts of their vendor. */
  readonly connect: Connect;
  readonly programs?: Readonly<Record<CliProvider, CliProgram>>;
}

/** A run, without what all have in common. */
export type CliCall = Omit<CliRun, 'program' | 'connect'> & { readonly isTerminal?: boolean | undefined };

/** One run of a program for an organization. */
interface CliStartOptions {
  readonly orgId: string;
  readonly call: CliCall;
  readonly signal: AbortSignal;
  /** Called when a host of the vendor could not be reached. */
  readonly onUnreachable?: (host: string) => void;
}

/** How many run at once in this process, of one payer and in all. */
const SLOTS = { perKey: 4, total: 8, maxWaiting: 50, maxWaitMs: 60_000 };
/** Sign-ins take minutes. They have slots of their own, so that no message waits for them. */
const SIGN_IN_SLOTS = { perKey: 6, total: 12, maxWaiting: 20, maxWaitMs: 15_000 };
const VERSION_MS = 30_000;
/** How long others wait for a program to report its version. */
const POLL_MS = 5_000;
/** A version that could not be read is asked for again after so long. */
const ASK_AGAIN_MS = 60_000;

/** The command-line programs that the operator has named and that are installed here. */
export class InstalledClis {
  readonly #settings: CliSettings;
  readonly #programs: Readonly<Record<CliProvider, CliProgram>>;
  /** Why the program of a stamp cannot be used; undefined when it can. */
  readonly #checked = new Map<CliProvider, { readonly stamp: string; readonly at: number; readonly fault?: string }>();
  readonly #checking = new Map<CliProvider, Promise<string | undefined>>();
  readonly #slots = new KeyedSemaphore({ ...SLOTS, createError: noFreeSlot });
  readonly #signInSlots = new KeyedSemaphore({ ...SIGN_IN_SLOTS, createError: noFreeSlot });

  constructor(settings: CliSettings) {
    this.#settings = settings;
    this.#programs = settings.programs ?? CLI_PROGRAMS;
  }

  /** Returns what a provider's program is like. */
  programOf(provider: CliProvider): CliProgram {
    return this.#programs[provider];
  }

  /** Returns why each provider cannot be used here, in words; those that can are left out. */
  async lacking(): Promise<Readonly<Partial<Record<CliProvider, string>>>> {
    const reasons = CLI_PROVIDERS.map(async (each) => {
      const soon = sleep(POLL_MS, `the version of ${this.#programs[each].name} is being looked at`, { ref: false });
      return [each, await Promise.race([this.#faultOf(each), soon])] as const;
    });
    return Object.fromEntries((await Promise.all(reasons)).filter(([, reason]) => reason !== undefined));
  }

  /**
   * Starts a program for an organization once a slot is free; it is ended when `signal` aborts. Throws
   * `ProviderFailure` when it cannot be used here.
   */
  async start(provider: CliProvider, { orgId, call, signal, onUnreachable }: CliStartOptions): Promise<CliProcess> {
    const { promise, resolve, reject } = Promise.withResolvers<CliProcess>();
    // The slot is occupied until the program has ended.
    const begin = async () => {
      const fault = await this.#faultOf(provider);
      if (fault !== undefined) throw new ProviderFailure(`cannot be used: ${fault}`);
      const run = await this.#start(provider, this.#found(provider), call, onUnreachable);
      const kill = () => run.kill();
      signal.addEventListener('abort', kill, { once: true });
      if (signal.aborted) kill();
      resolve(run);
      await run.ended;
      signal.removeEventListener('abort', kill);
    };
    const slots = call.isInteractive ? this.#signInSlots : this.#slots;
    const payer = await this.#settings.payers.of(orgId);
    void slots.run(payer, begin, { signal }).catch(reject);
    return promise;
  }

  async #start(
    provider: CliProvider,
    found: FoundCli,
    { isTerminal, ...call }: CliCall,
    onUnreachable?: CliStartOptions['onUnreachable'],
  ): Promise<CliProcess> {
    const hosts: ReadonlySet<string> = new Set(this.#programs[provider].hosts);
    const connect: Connect = async (host, port) => {
      if (!hosts.has(host)) throw new Error(`${host} is no host of the program's vendor`);
      try {
        return await this.#settings.connect(host, port);
      } catch (error) {
        onUnreachable?.(host);
        throw error;
      }
    };
    const shown = isTerminal === true ? inTerminal(found, call.args) : { program: found, args: call.args };
    try {
      return await CliProcess.start(this.#settings.sandbox, { ...call, ...shown, connect });
    } catch (error) {
      if (!(error instanceof SandboxUnavailable)) throw error;
      throw new ProviderFailure(`cannot be used: there is no sandbox: ${error.message}`, { cause: error });
    }
  }

  async #faultOf(provider: CliProvider): Promise<string | undefined> {
    const { name } = this.#programs[provider];
    if (!this.#settings.offered.includes(provider)) return `${name} is not enabled on this server`;
    try {
      const found = this.#found(provider);
      const known = this.#checked.get(provider);
      const isOld = known?.fault !== undefined && performance.now() - known.at > ASK_AGAIN_MS;
      if (known?.stamp === found.stamp && !isOld) return known.fault;
      return await this.#checkOnce(provider, found);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #checkOnce(provider: CliProvider, found: FoundCli): Promise<string | undefined> {
    const checking =
      this.#checking.get(provider) ??
      this.#faultOfVersion(provider, found).finally(() => this.#checking.delete(provider));
    this.#checking.set(provider, checking);
    const fault = await checking;
    this.#checked.set(provider, { stamp: found.stamp, at: performance.now(), ...(fault !== undefined && { fault }) });
    return fault;
  }

  #found(provider: CliProvider): FoundCli {
    return findCli(this.#programs[provider].file, this.#settings.paths[provider]);
  }

  async #faultOfVersion(provider: CliProvider, found: FoundCli): Promise<string | undefined> {
    const { name, minVersion } = this.#programs[provider];
    const call = { args: ['--version'], environment: {}, files: {}, watched: [], input: '', isInteractive: false };
    const run = await this.#start(provider, found, call);
    const timer = setTimeout(() => run.kill(), VERSION_MS);
    let said = '';
    for await (const event of run.events()) if ('line' in event && said.length < 1_000) said += `${event.line}\n`;
    clearTimeout(timer);
    await run.ended;
    const [, major, minor] = /\b(\d{1,9})\.(\d{1,9})\.\d/.exec(said) ?? [];
    if (major === undefined) return `${name} does not tell its version: ${run.lastWords.slice(-200) || 'it is silent'}`;
    const [minMajor, minMinor] = minVersion;
    const isNewEnough = Number(major) > minMajor || (Number(major) === minMajor && Number(minor) >= minMinor);
    return isNewEnough ? undefined : `${name} ${major}.${minor} is older than ${minMajor}.${minMinor}; update it`;
  }
}

// Lines of any length: addresses must not be broken.
function inTerminal(found: FoundCli, args: readonly string[]) {
  const line = [...found.command, ...args].map((part) => `'${part.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  const command = ['/usr/bin/script', '-qfec', `stty cols 4000; exec ${line}`, '/dev/null'];
  return { program: { ...found, command }, args: [] };
}

function noFreeSlot(): ProviderFailure {
  return new ProviderFailure('is waiting for a free slot; try again later', { kind: 'busy' });
}
