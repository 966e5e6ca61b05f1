import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { TEST_SECRET_KEY } from './test-api.ts';
import { waitUntil } from './wait-until.ts';

/** An api process like the one in production. */
export interface ApiProcess {
  /** Without a slash at its end. */
  readonly url: string;
  kill(): Promise<void>;
  /** Asks it to end, as a deployment does; resolves to its exit code, or to the signal that ended it instead. */
  stop(): Promise<number | NodeJS.Signals>;
  /** Everything it has logged so far. */
  log(): string;
  /** Resolves when it has ended, for whatever cause. */
  readonly exited: Promise<unknown>;
}

interface ApiProcessOptions {
  readonly heapMegabytes?: number;
  /** Any free port unless given. */
  readonly port?: number;
  /** Nothing listens there unless given. */
  readonly temporalAddress?: string;
  /** The folder of a built console. */
  readonly consoleDir?: string;
  /** Open unless given. */
  readonly registration?: 'open' | 'invite' | 'closed';
  /** Fatal errors only unless given. */
  readonly logLevel?: string;
  /** The folder of the code; this checkout unless given. */
  readonly checkout?: string;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Starts `api/main.ts` and waits until it responds. Throws with what it has logged when it ends before. */
export async function startApiProcess(
  databaseUrl: string,
  {
    heapMegabytes,
    temporalAddress = '127.0.0.1:1',
    consoleDir,
    registration = 'open',
    logLevel = 'fatal',
    checkout = ROOT,
    ...given
  }: ApiProcessOptions = {},
): Promise<ApiProcess> {
  const port = given.port ?? (await freePort());
  const child = fork(join(checkout, 'api/main.ts'), {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      LOG_LEVEL: logLevel,
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: temporalAddress,
      SECRET_KEY: TEST_SECRET_KEY,
      REGISTRATION: registration,
      ...(consoleDir !== undefined && { CONSOLE_DIR: consoleDir }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (log += data.toString()));
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => {
    if (child.exitCode !== null) throw new Error(`the api did not start:\n${log}`);
    return fetch(`${url}/healthz`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  };
  await waitUntil('the api process to answer', isUp);
  return {
    url,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [code, signal] = await exited;
      return code ?? signal ?? 'SIGKILL';
    },
    log: () => log,
    exited,
  };
}
