import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../scripts/stack/core/run-command.ts';
import { signalProcess } from '../../scripts/stack/processes.ts';
import { waitUntil } from '../../test/support/wait-until.ts';
import { ADDRESSES, type MachineName } from './network.ts';

/** A program that a machine runs for as long as it is on. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  /** Whether it does its work. */
  isUp(): boolean | Promise<boolean>;
}

/** The root of all disks, which are in memory and end with this process. */
export const DISKS = '/run/machines';
/** The logs of all programs. */
export const LOGS = '/run/logs';
const PAUSE_MS = 500;
const UP_LIMIT_MS = 300_000;

/** A machine: a network namespace, a disk of its own, and the programs that are started again when they end. */
export class Machine {
  readonly name: MachineName;
  readonly address: string;
  readonly disk: string;
  readonly #programs: Program[] = [];
  #power = new AbortController();
  #running = new Set<Promise<void>>();
  #environment: Readonly<Record<string, string>> = {};

  constructor(name: MachineName, diskMegabytes: number) {
    this.name = name;
    this.address = ADDRESSES[name];
    this.disk = join(DISKS, name);
    mkdirSync(LOGS, { recursive: true });
    mkdirSync(this.disk, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=755`, 'tmpfs', this.disk]);
  }

  /** Starts a program and waits until it does its work. */
  async run(program: Program): Promise<void> {
    this.#programs.push(program);
    this.#keep(program);
    await this.#untilUp(program);
  }

  get hasPrograms(): boolean {
    return this.#programs.length > 0;
  }

  /** Starts its programs again and waits until they do their work. */
  async restart(): Promise<void> {
    await this.turnOff();
    this.turnOn();
    await this.untilUp();
  }

  /** Kills everything that runs on it. */
  async turnOff(): Promise<void> {
    this.#power.abort();
    const pids = execFileSync('ip', ['netns', 'pids', this.name]).toString().split('\n').filter(Boolean);
    for (const pid of pids) signalProcess(Number(pid), 'SIGKILL');
    await Promise.all(this.#running);
  }

  /** Starts its programs again, with a clock that is wrong by so many seconds; does not wait for them. */
  turnOn({ clockSeconds = 0, library = '' } = {}): void {
    this.#environment = clockSeconds === 0 ? {} : wrongClock(clockSeconds, library);
    this.#power = new AbortController();
    for (const program of this.#programs) this.#keep(program);
  }

  /** Waits until all its programs do their work. */
  async untilUp(): Promise<void> {
    await Promise.all(this.#programs.map(async (program) => this.#untilUp(program)));
  }

  /** Returns what a program has logged, in all its lives. */
  log(program: string): string {
    const file = this.#logFile(program);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  /** Writes to its disk until it is full; resolves to what empties it. */
  async fillDisk(): Promise<() => void> {
    const file = join(this.disk, 'ballast');
    const { output } = await runCommand('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M']);
    if (!output.includes('No space left')) throw new Error(`the disk of ${this.name} is not full: ${output}`);
    return () => rmSync(file);
  }

  async #untilUp(program: Program): Promise<void> {
    const isUp = async (): Promise<boolean> => program.isUp();
    try {
      const probe = async () => (await isUp().catch(() => false)) || undefined;
      await waitUntil(`${program.name} on ${this.name}`, probe as () => Promise<string | undefined>, UP_LIMIT_MS);
    } catch (error) {
      throw new Error(`${String(error)}\n${this.log(program.name).slice(-3_000)}`, { cause: error });
    }
  }

  #keep(program: Program): void {
    const { signal } = this.#power;
    const kept = (async () => {
      while (!signal.aborted) {
        await once(this.#spawn(program), 'exit');
        await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    })();
    this.#running.add(kept);
    void kept.finally(() => this.#running.delete(kept));
  }

  #spawn({ name, command, args, env, uid, gid }: Program): ChildProcess {
    const as = uid === undefined ? [] : [`--setuid=${uid}`, `--setgid=${gid ?? uid}`];
    const log = openSync(this.#logFile(name), 'a');
    const child = spawn('nsenter', [`--net=/run/netns/${this.name}`, ...as, '--', command, ...args], {
      cwd: uid === undefined ? undefined : '/',
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...env,
        ...this.#environment,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    return child;
  }

  #logFile(program: string): string {
    return join(LOGS, `${this.name}-${program}.log`);
  }
}

function wrongClock(seconds: number, library: string): Record<string, string> {
  const offset = `${seconds < 0 ? '' : '+'}${seconds}s`;
  // Timers go by the monotonic clock, which is right on a machine whose time of day is wrong.
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
