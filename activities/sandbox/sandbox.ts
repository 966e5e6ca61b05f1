import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyedSemaphore } from '../../domain/core/keyed-semaphore.ts';
import { type Connect, EgressGateway } from './egress/gateway.ts';
import { ChannelFolder } from './channels.ts';
import { findBwrap, type FoundBwrap, stampOf } from './find-bwrap.ts';
import { Identity } from './identity.ts';
import { closeInherited } from './inherited.ts';
import { launch, type SandboxCommand, type SandboxEnding, SandboxFault } from './launch.ts';
import { probe } from './probe.ts';
import type { SandboxLimits } from './profile.ts';
import { withRemedy } from './remedy.ts';
import { seccompFilter } from './seccomp/filter.ts';

/** Whether commands can be confined here, and in words why not. */
export type SandboxState = { readonly isAvailable: true } | { readonly isAvailable: false; readonly reason: string };

/** The settings of the sandbox (docs/sandbox.md). */
export interface SandboxSettings {
  readonly mode: 'auto' | 'off';
  /** The path of bubblewrap; looked for unless given. */
  readonly bwrap?: string | undefined;
  /** The user whom commands run as when the service runs as root. */
  readonly uid: number;
  /** The most commands at once. */
  readonly concurrency: number;
  readonly limits: SandboxLimits;
  /** Connects the commands that need the network; they have none unless given. */
  readonly connect?: Connect | undefined;
}

/** Commands cannot be confined here, so they are not run. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}

/** All places of the sandbox are taken. */
export class SandboxBusy extends Error {
  override readonly name = 'SandboxBusy';
}

/** For whom a command runs, and until when. */
export interface SandboxUse {
  readonly orgId: string;
  readonly signal: AbortSignal;
}

/** A host without a sandbox is looked at again after so long, in milliseconds. */
const LOOK_AGAIN_MS = 30_000;
const MAX_WAITING = 50;
const never = new AbortController().signal;

interface Ready {
  readonly bwrap: FoundBwrap;
  readonly identity: Identity;
  readonly filter: string;
}

/** Runs commands where they can harm nobody, or refuses to. Nothing runs unconfined. */
export class Sandbox {
  readonly #settings: SandboxSettings;
  readonly #onState: (state: SandboxState) => void;
  readonly #places: KeyedSemaphore;
  #folder: ChannelFolder | undefined;
  #ready: Ready | undefined;
  #state: SandboxState = { isAvailable: false, reason: 'the sandbox was not looked at yet' };
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #gateways = 0;

  private constructor(settings: SandboxSettings, onState: (state: SandboxState) => void) {
    const { concurrency: total } = settings;
    const createError = () => new SandboxBusy('All places of the sandbox are taken; try again later');
    this.#settings = settings;
    this.#onState = onState;
    this.#places = new KeyedSemaphore({
      perKey: Math.ceil(total / 2),
      total,
      maxWaiting: MAX_WAITING,
      createError,
    });
  }

  /** Makes the sandbox and looks whether it confines; `onState` is told what came of it, and of each change. */
  static async open(settings: SandboxSettings, onState: (state: SandboxState) => void): Promise<Sandbox> {
    const sandbox = new Sandbox(settings, onState);
    await sandbox.#look();
    return sandbox;
  }

  get state(): SandboxState {
    return this.#state;
  }

  /** Looks again where that may have changed: nobody asks for a command where tools that run some are not offered. */
  async refresh(): Promise<SandboxState> {
    await this.#confining().catch(() => undefined);
    return this.#state;
  }

  /**
   * Runs a command when there is a place for it. Throws `SandboxUnavailable` when it cannot be confined, `SandboxBusy`
   * when too many wait, and the signal's reason.
   */
  async run(command: SandboxCommand, { orgId, signal }: SandboxUse): Promise<SandboxEnding> {
    return this.#places.hold(orgId, async () => this.#runNow(command, signal), { signal });
  }

  /** Removes what it keeps in the temporary folder. */
  close(): void {
    this.#folder?.remove();
    this.#folder = undefined;
    this.#ready = undefined;
    this.#state = { isAvailable: false, reason: 'the worker stops' };
  }

  async #runNow(command: SandboxCommand, signal: AbortSignal): Promise<SandboxEnding> {
    const ready = await this.#confining();
    try {
      return await this.#launch(ready, command, signal);
    } catch (error) {
      if (!(error instanceof SandboxFault)) throw error;
      await this.#look();
      if (this.#state.isAvailable) throw new SandboxUnavailable(withRemedy(error.message));
      throw new SandboxUnavailable(this.#state.reason);
    }
  }

  // Somebody may have replaced bubblewrap since it was looked at, or made the host ready for it.
  async #confining(): Promise<Ready> {
    const known = this.#ready;
    const isReplaced = known !== undefined && stampOf(known.bwrap.path) !== known.bwrap.stamp;
    if (isReplaced || (known === undefined && performance.now() - this.#lookedAt > LOOK_AGAIN_MS)) await this.#look();
    if (this.#ready !== undefined) return this.#ready;
    throw new SandboxUnavailable(this.#state.isAvailable ? 'the sandbox is not ready' : this.#state.reason);
  }

  async #look(): Promise<void> {
    this.#looking ??= this.#lookNow().finally(() => (this.#looking = undefined));
    await this.#looking;
  }

  async #lookNow(): Promise<void> {
    const former = JSON.stringify(this.#state);
    try {
      this.#ready = undefined;
      this.#ready = await this.#prove();
      this.#state = { isAvailable: true };
    } catch (error) {
      this.#state = { isAvailable: false, reason: withRemedy(error instanceof Error ? error.message : String(error)) };
    }
    this.#lookedAt = performance.now();
    if (JSON.stringify(this.#state) !== former) this.#onState(this.#state);
  }

  async #prove(): Promise<Ready> {
    const { mode, bwrap: given, limits } = this.#settings;
    if (mode === 'off') throw new Error('the operator has turned it off (SANDBOX=off)');
    if (process.platform !== 'linux') throw new Error(`there is none on ${process.platform}`);
    const program = seccompFilter(process.arch);
    if (program === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
    const bwrap = await findBwrap(given);
    closeInherited();
    const uid = process.getuid?.() === 0 ? this.#settings.uid : undefined;
    this.#folder ??= new ChannelFolder(uid);
    const filter = join(this.#folder.path, 'filter');
    writeFileSync(filter, program, { mode: 0o600 });
    const ready = { bwrap, identity: new Identity(uid, this.#folder.path), filter };
    const { path: folder } = this.#folder;
    const fault = await probe({ folder, limits, run: async (command) => this.#launch(ready, command, never) });
    if (fault !== undefined) throw new Error(fault);
    return ready;
  }

  async #launch(
    { bwrap, identity, filter }: Ready,
    command: SandboxCommand,
    signal: AbortSignal,
  ): Promise<SandboxEnding> {
    if (this.#folder === undefined) throw new SandboxUnavailable('the worker stops');
    const launcher = { bwrap: bwrap.path, identity, limits: this.#settings.limits, filter };
    const gateway = command.network === true ? await this.#openGateway(this.#folder.path, identity.uid) : undefined;
    try {
      return await this.#folder.with(async (channels) =>
        launch({ ...launcher, gateway: gateway?.path }, command, { channels, signal }),
      );
    } finally {
      gateway?.close();
    }
  }

  async #openGateway(folder: string, owner: number | undefined): Promise<EgressGateway> {
    const { connect } = this.#settings;
    if (connect === undefined)
      throw new SandboxUnavailable('the operator gives commands no network (SANDBOX_NETWORK=off)');
    this.#gateways += 1;
    return EgressGateway.open({ path: join(folder, `${this.#gateways}.sock`), owner, connect });
  }
}
