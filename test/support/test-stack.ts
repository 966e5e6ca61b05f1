import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { z } from 'zod';
import { processIdentity, readRunRecord, signalProcess } from '../../scripts/stack/processes.ts';
import { freePort } from './free-port.ts';
import { type ScriptedModel, startScriptedModel } from './scripted-model/index.ts';
import { waitUntil } from './wait-until.ts';

/** The parts that the supervisor of `npm start` keeps running, by the names of its messages. */
const PART_NAMES = { api: 'api', worker: 'worker', temporal: 'Temporal', postgres: 'PostgreSQL' } as const;
export const PARTS = ['api', 'worker', 'temporal', 'postgres'] as const;

export type Part = keyof typeof PART_NAMES;

/** A fault that was injected into a part. */
export interface Fault {
  /** `performance.now()` of the signal. */
  readonly at: number;
  /** Resolves, with its `performance.now()`, when the supervisor has the part up again. */
  backUp(): Promise<number>;
}

interface TestStackOptions {
  /** Further addresses that the parts may reach though they are private. */
  readonly privateHosts?: readonly string[];
  /** Further settings of all parts. */
  readonly settings?: Readonly<Record<string, string>>;
}

const MAIN = fileURLToPath(new URL('../../scripts/stack/main.ts', import.meta.url));
/** Far beyond what any part needs to start, however busy the machine is. */
const UP_LIMIT_MS = 300_000;
const credentialsSchema = z.object({ superuser: z.string(), service: z.string() });

/**
 * The processes of `npm start`, with data and ports of their own and a scripted model: the supervisor, PostgreSQL,
 * Temporal, one api and one worker, each of which can be killed.
 */
export class TestStack {
  readonly model: ScriptedModel;
  /** Without a slash at its end. */
  readonly url: string;
  readonly #home = mkdtempSync(join(tmpdir(), 'everturn-stack-'));
  readonly #ports: { readonly api: number; readonly postgres: number; readonly temporal: number };
  readonly #privateHosts: string;
  readonly #settings: Readonly<Record<string, string>>;
  #supervisor: ChildProcess | undefined;
  #output = '';

  private constructor(
    model: ScriptedModel,
    ports: TestStack['ports'],
    { privateHosts = [], settings = {} }: TestStackOptions,
  ) {
    this.model = model;
    this.#privateHosts = [`127.0.0.1:${model.port}`, ...privateHosts].join(',');
    this.#settings = settings;
    this.#ports = ports;
    this.url = `http://127.0.0.1:${ports.api}`;
  }

  static async start(options: TestStackOptions = {}): Promise<TestStack> {
    const model = await startScriptedModel();
    const [api, postgres, temporal] = [await freePort(), await freePort(), await freePort()];
    const stack = new TestStack(model, { api, postgres, temporal }, options);
    try {
      await stack.startAgain();
    } catch (error) {
      await stack.close();
      throw error;
    }
    return stack;
  }

  get ports() {
    return this.#ports;
  }

  /** All that the supervisor has printed. */
  get output(): string {
    return this.#output;
  }

  /** Folder of its data. */
  get home(): string {
    return this.#home;
  }

  /** The parts that have ended and were started again, in order, once for each time. */
  get endings(): Part[] {
    const ended = /^(?:[\d:]{8} )?(\S+) stopped \(/gm;
    return [...this.#output.matchAll(ended)].flatMap(
      ([, name]) => PARTS.find((part) => PART_NAMES[part] === name) ?? [],
    );
  }

  /** Returns a part's log. */
  log(part: Part): string {
    return readFileSync(join(this.#home, 'logs', `${part}.log`), 'utf8');
  }

  /** Environment of a further worker beside the supervised one. */
  get workerEnvironment(): Record<string, string> {
    return {
      DATABASE_URL: this.#databaseUrl('service'),
      TEMPORAL_ADDRESS: `127.0.0.1:${this.#ports.temporal}`,
      SECRET_KEY: readFileSync(join(this.#home, 'secrets', 'secret-key'), 'utf8').trim(),
      ALLOW_PRIVATE_HOSTS: this.#privateHosts,
      EVERTURN_HOME: this.#home,
    };
  }

  /**
   * Starts everything, after `stop` or `killAll` with the data that is there; returns `performance.now()` when it is
   * ready.
   */
  async startAgain(): Promise<number> {
    const printed = this.#output.length;
    this.#supervisor = this.#spawn();
    const { exitCode } = await waitUntil(
      'the stack to be ready',
      () => {
        const exitCode = this.#supervisor?.exitCode ?? undefined;
        return exitCode !== undefined || this.#output.includes('Everturn is ready', printed) ? { exitCode } : undefined;
      },
      UP_LIMIT_MS,
    );
    if (exitCode !== undefined) throw new Error(`the stack did not start:\n${this.#output.slice(printed)}`);
    return performance.now();
  }

  /** Takes everything down in order, as Ctrl-C does. */
  async stop(): Promise<void> {
    await this.#endSupervisor('SIGTERM');
  }

  /** Returns the process of a part, `undefined` while it does not run. */
  pid(part: Part): number | undefined {
    if (part !== 'postgres') return readRunRecord(join(this.#home, 'run', `${part}.pid`))?.pid;
    try {
      const pid = Number.parseInt(readFileSync(join(this.#home, 'postgres/cluster/postmaster.pid'), 'utf8'), 10);
      return processIdentity(pid) === undefined ? undefined : pid;
    } catch {
      return undefined;
    }
  }

  /** Sends a part a signal that ends it. */
  end(part: Part, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Fault {
    const isBack = this.#seesReturn(part);
    this.#signal(part, signal);
    return {
      at: performance.now(),
      backUp: async () =>
        waitUntil(`${part} to be up again`, () => (isBack() ? performance.now() : undefined), UP_LIMIT_MS),
    };
  }

  /** Stops a part in its tracks until `thaw` or `end`. */
  freeze(part: Part): void {
    this.#signal(part, 'SIGSTOP');
  }

  /** Lets a frozen part go on. */
  thaw(part: Part): void {
    this.#signal(part, 'SIGCONT');
  }

  /** Stops the supervisor too, which otherwise replaces a part that stands still, until `thawSupervisor`. */
  freezeSupervisor(): void {
    this.#supervisor?.kill('SIGSTOP');
  }

  /** Lets the frozen supervisor go on. */
  thawSupervisor(): void {
    this.#supervisor?.kill('SIGCONT');
  }

  /**
   * Waits until the supervisor has replaced a part that it found to be deaf; returns `performance.now()` of the moment.
   */
  async replaced(part: Part): Promise<number> {
    const isBack = this.#seesReturn(part);
    return waitUntil(`${part} to be replaced`, () => (isBack() ? performance.now() : undefined), UP_LIMIT_MS);
  }

  /** Kills everything at once, the supervisor first, as a power cut does. */
  async killAll(): Promise<number> {
    const pids = PARTS.map((part) => this.pid(part));
    const exited = this.#endSupervisor('SIGKILL');
    for (const pid of pids) if (pid !== undefined) signalProcess(pid, 'SIGKILL');
    const at = performance.now();
    await exited;
    return at;
  }

  /** Deletes all that Temporal knows; only while the stack is stopped. */
  deleteTemporalStore(): void {
    rmSync(join(this.#home, 'temporal'), { recursive: true });
  }

  /** Asks the database, as somebody who sees every organization. */
  async query<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.withDatabase(async (client) => (await client.query<Row>(sql, values)).rows);
  }

  /** Gives a connection to the database, of somebody who sees every organization, for many statements. */
  async withDatabase<T>(use: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.#databaseUrl('superuser') });
    // The statement in flight rejects on its own.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await use(client);
    } finally {
      await client.end();
    }
  }

  /** Ends everything and removes the data; throws when a process outlived its supervisor. */
  async close(): Promise<void> {
    this.thawSupervisor();
    for (const part of PARTS) if (this.pid(part) !== undefined) this.thaw(part);
    await this.stop();
    const left = PARTS.flatMap((part) => this.pid(part) ?? []);
    for (const pid of left) signalProcess(pid, 'SIGKILL');
    await this.model.close();
    rmSync(this.#home, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`outlived the supervisor: ${left.join(', ')}`);
  }

  #databaseUrl(role: 'superuser' | 'service'): string {
    const file = join(this.#home, 'postgres', 'credentials.json');
    const password = credentialsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))[role];
    const user = role === 'superuser' ? 'postgres' : 'everturn_service';
    return `postgres://${user}:${password}@127.0.0.1:${this.#ports.postgres}/everturn`;
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
      env: {
        ...this.#settings,
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        EVERTURN_HOME: this.#home,
        PORT: String(this.#ports.api),
        POSTGRES_PORT: String(this.#ports.postgres),
        TEMPORAL_PORT: String(this.#ports.temporal),
        ALLOW_PRIVATE_HOSTS: this.#privateHosts,
      },
      // Through the channel the supervisor sees the end of the tests, however they end, and takes everything down.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => (this.#output += data.toString()));
    }
    return child;
  }

  #signal(part: Part, signal: NodeJS.Signals): void {
    const pid = this.pid(part);
    if (pid === undefined) throw new Error(`${part} does not run`);
    signalProcess(pid, signal);
  }

  #seesReturn(part: Part): () => boolean {
    const line = `${PART_NAMES[part]} is up again.`;
    const seen = this.#output.split(line).length;
    return () => this.#output.split(line).length > seen;
  }

  async #endSupervisor(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#supervisor;
    if (child === undefined || hasExited(child)) return;
    child.kill(signal);
    await waitUntil('the supervisor to end', () => (hasExited(child) ? true : undefined), UP_LIMIT_MS);
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
