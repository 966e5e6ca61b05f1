import { closeSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payers } from '../../db/core/sql-pool.ts';
import { CRASH_MS, KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { ChannelFolder, removeLeftovers, removeTree } from './channels.ts';
import type { SandboxProgram } from './confined-child.ts';
import { type Connect, EgressGateway, GatewaySocket } from './egress/gateway.ts';
import { Identity } from './identity.ts';
import { launch, type SandboxCommand, type SandboxEnding, SandboxFault } from './launch.ts';
import { findBwrap, type FoundBwrap, probe, stampOf, withRemedy } from './probe.ts';
import type { SandboxLimits } from './profile.ts';
import { SandboxProcess } from './sandbox-process.ts';
import { seccompFilter } from './seccomp.ts';

/** Whether commands can be confined here, and in words why not. */
export type SandboxState = { readonly isAvailable: true } | { readonly isAvailable: false; readonly reason: string };

/** The settings of the sandbox (docs/sandbox.md). */
export interface SandboxSettings {
  readonly mode: 'auto' | 'off';
  /** The path of bubblewrap; by default it is searched for. */
  readonly bwrap?: string | undefined;
  /** The user whom commands run as when the service runs as root. */
  readonly uid: number;
  /** The most commands at once. */
  readonly concurrency: number;
  readonly payers: Pick<Payers, 'of'>;
  readonly limits: SandboxLimits;
  /** Connects the commands that need the network; they have none unless given. */
  readonly connect?: Connect | undefined;
}

/** Commands cannot be confined here, so they are not run. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}

/** All slots of the sandbox are taken. */
export class SandboxBusy extends Error {
  override readonly name = 'SandboxBusy';
}

/** For whom a command runs, and until when. */
export interface SandboxUse {
  readonly orgId: string;
  readonly signal: AbortSignal;
}

/** How long until a host without a sandbox is probed again, in milliseconds. */
const PROBE_INTERVAL_MS = 30_000;
const MAX_WAITING = 50;

/** How much a command and the service may exchange where that answers its requests, in bytes. */
const MAX_ANSWERED_BYTES = 250_000_000;

/** The limit of a program's own folder. */
const PROGRAM_SPACE = { bytes: 100_000_000, names: 10_000 };

/** The endings of a command that count as a crash. */
const CRASHES: ReadonlySet<SandboxEnding['killedFor']> = new Set(['memory', 'system']);
const never = new AbortController().signal;

interface Ready {
  readonly bwrap: FoundBwrap;
  readonly identity: Identity;
  /** The files of the seccomp programs: for commands, and for those that confine parts of themselves. */
  readonly filters: { readonly plain: string; readonly confiner: string };
}

/** Runs commands where they can harm nobody, or refuses to. Nothing runs unconfined. */
export class Sandbox {
  readonly #settings: SandboxSettings;
  readonly #onState: (state: SandboxState) => void;
  readonly #slots: KeyedSemaphore;
  #folder: ChannelFolder | undefined;
  #ready: Ready | undefined;
  #state: SandboxState = { isAvailable: false, reason: 'the sandbox has not been checked yet' };
  #probedAt = Number.NEGATIVE_INFINITY;
  #probing: Promise<void> | undefined;
  #gateways = 0;
  #programs = 0;

  private constructor(settings: SandboxSettings, onState: (state: SandboxState) => void) {
    const { concurrency: total } = settings;
    const createError = () => new SandboxBusy('All slots of the sandbox are in use; try again later');
    this.#settings = settings;
    this.#onState = onState;
    this.#slots = new KeyedSemaphore({
      perKey: Math.ceil(total / 2),
      total,
      maxWaiting: MAX_WAITING,
      createError,
    });
  }

  /** Creates the sandbox and probes whether it confines; `onState` receives the result and each change of it. */
  static async open(settings: SandboxSettings, onState: (state: SandboxState) => void): Promise<Sandbox> {
    const sandbox = new Sandbox(settings, onState);
    // Of workers that were killed; what cannot be removed is in nobody's way.
    await removeLeftovers().catch(() => undefined);
    await sandbox.#probe();
    return sandbox;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** How many commands run, and how many wait for a slot. */
  get commands(): KeyedSemaphore['counts'] {
    return this.#slots.counts;
  }

  /** Probes again where that may have changed: nobody asks for a command where tools that run some are not offered. */
  async refresh(): Promise<SandboxState> {
    await this.#confining().catch(() => undefined);
    return this.#state;
  }

  /**
   * Runs a command once a slot is free. Throws `SandboxUnavailable` when it cannot be confined, `SandboxBusy`
   * when too many wait, and the signal's reason.
   */
  async run(command: SandboxCommand, { orgId, signal }: SandboxUse): Promise<SandboxEnding> {
    const payer = await this.#settings.payers.of(orgId);
    return this.#slots.run(
      payer,
      async () => {
        const ending = await this.#runNow(command, signal);
        if (CRASHES.has(ending.killedFor)) this.#slots.charge(payer, CRASH_MS);
        return ending;
      },
      { signal },
    );
  }

  /**
   * Starts a program that runs until it is ended, at once: the caller bounds how many there are. It has a folder of its
   * own, which is removed when it has ended. Throws `SandboxUnavailable` when it cannot be confined.
   */
  async start(program: Omit<SandboxProgram, 'folder' | 'space'>): Promise<SandboxProcess> {
    const ready = await this.#confining();
    if (this.#folder === undefined) throw new SandboxUnavailable('the worker stops');
    this.#programs += 1;
    const path = join(this.#folder.path, `program-${this.#programs}`);
    mkdirSync(path, { mode: 0o700 });
    const gateway = await this.#gatewayFor(program, ready);
    const folder = { path, access: 'write' } as const;
    const launcher = this.#launcherOf(ready, program, gateway);
    const process = new SandboxProcess(launcher, { ...program, folder, space: PROGRAM_SPACE });
    void this.#follow(process, path, gateway);
    return process;
  }

  /** Removes what it keeps in the temporary folder. */
  close(): void {
    this.#folder?.remove();
    this.#folder = undefined;
    this.#ready = undefined;
    this.#state = { isAvailable: false, reason: 'the worker stops' };
  }

  async #follow(process: SandboxProcess, folder: string, gateway: GatewaySocket | undefined): Promise<void> {
    await process.ended;
    gateway?.close();
    await removeTree(folder).catch(() => undefined);
    if (!process.hasBegun) await this.#probe();
  }

  async #runNow(command: SandboxCommand, signal: AbortSignal): Promise<SandboxEnding> {
    const ready = await this.#confining();
    try {
      return await this.#launch(ready, command, signal);
    } catch (error) {
      if (!(error instanceof SandboxFault)) throw error;
      await this.#probe();
      if (this.#state.isAvailable) throw new SandboxUnavailable(withRemedy(error.message));
      throw new SandboxUnavailable(this.#state.reason);
    }
  }

  // Bubblewrap may have been replaced since the last probe, or the host made ready for it.
  async #confining(): Promise<Ready> {
    const known = this.#ready;
    const isReplaced = known !== undefined && stampOf(known.bwrap.path) !== known.bwrap.stamp;
    if (isReplaced || (known === undefined && performance.now() - this.#probedAt > PROBE_INTERVAL_MS))
      await this.#probe();
    if (this.#ready !== undefined) return this.#ready;
    throw new SandboxUnavailable(this.#state.isAvailable ? 'the sandbox is not ready' : this.#state.reason);
  }

  async #probe(): Promise<void> {
    this.#probing ??= this.#probeNow().finally(() => (this.#probing = undefined));
    await this.#probing;
  }

  async #probeNow(): Promise<void> {
    const former = JSON.stringify(this.#state);
    try {
      this.#ready = undefined;
      this.#ready = await this.#prove();
      this.#state = { isAvailable: true };
    } catch (error) {
      this.#state = { isAvailable: false, reason: withRemedy(error instanceof Error ? error.message : String(error)) };
    }
    this.#probedAt = performance.now();
    if (JSON.stringify(this.#state) !== former) this.#onState(this.#state);
  }

  async #prove(): Promise<Ready> {
    const { mode, bwrap: given, limits } = this.#settings;
    if (mode === 'off') throw new Error('the operator has turned it off');
    if (process.platform !== 'linux') throw new Error(`there is none on ${process.platform}`);
    const [plain, confiner] = [seccompFilter(process.arch), seccompFilter(process.arch, 'confiner')];
    if (plain === undefined || confiner === undefined)
      throw new Error(`the system calls of ${process.arch} are not known`);
    const bwrap = await findBwrap(given);
    closeInherited();
    const uid = process.getuid?.() === 0 ? this.#settings.uid : undefined;
    this.#folder ??= new ChannelFolder(uid);
    const { path: folder } = this.#folder;
    const filters = { plain: join(folder, 'filter'), confiner: join(folder, 'filter-of-confiners') };
    writeFileSync(filters.plain, plain, { mode: 0o600 });
    writeFileSync(filters.confiner, confiner, { mode: 0o600 });
    const ready = { bwrap, identity: new Identity(uid, folder), filters };
    const fault = await probe({ folder, limits, run: async (command) => this.#launch(ready, command, never) });
    if (fault !== undefined) throw new Error(fault);
    return ready;
  }

  async #launch(ready: Ready, command: SandboxCommand, signal: AbortSignal): Promise<SandboxEnding> {
    if (this.#folder === undefined) throw new SandboxUnavailable('the worker stops');
    const gateway = await this.#gatewayFor(command, ready);
    try {
      const launcher = this.#launcherOf(ready, command, gateway);
      return await this.#folder.with(async (channels) => launch(launcher, command, { channels, signal }));
    } finally {
      gateway?.close();
    }
  }

  #launcherOf({ bwrap, identity, filters }: Ready, program: SandboxProgram, gateway: GatewaySocket | undefined) {
    const filter = program.isConfiner === true ? filters.confiner : filters.plain;
    return { bwrap: bwrap.path, identity, limits: this.#settings.limits, filter, gateway: gateway?.path };
  }

  async #gatewayFor(
    { network = false, answer, connect = this.#settings.connect }: SandboxProgram,
    { identity }: Ready,
  ): Promise<GatewaySocket | undefined> {
    if ((!network && answer === undefined) || this.#folder === undefined) return undefined;
    this.#gateways += 1;
    const address = { path: join(this.#folder.path, `${this.#gateways}.sock`), owner: identity.uid };
    if (answer !== undefined)
      return GatewaySocket.open({ ...address, onRequest: answer, maxBytes: MAX_ANSWERED_BYTES });
    if (connect === undefined) throw new SandboxUnavailable('the operator gives commands no network');
    return EgressGateway.open(address, connect);
  }
}

const CLOSE_ON_EXEC = 0o2_000_000;
const STANDARD = 2;

/**
 * Closes the descriptors that this process was started with by mistake: they would be open in every command. Node knows
 * nothing of them, and has marked its own to be closed.
 */
function closeInherited(): void {
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const descriptor = Number(name);
    if (descriptor > STANDARD && isInheritable(name)) closeSync(descriptor);
  }
}

function isInheritable(name: string): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was that of the listing.
    return false;
  }
}
