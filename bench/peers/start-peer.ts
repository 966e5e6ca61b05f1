import { once } from 'node:events';
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import { startPostgres } from '../../scripts/stack/postgres/start-postgres.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Undo } from '../../test/support/undo.ts';
import { installPackages } from '../instance/install-packages.ts';

/** A smaller program that serves chats, with a PostgreSQL of its own that has the settings of the product's. */
interface Peer {
  readonly url: string;
  /** Its processes, by name. */
  readonly pids: ReadonlyMap<string, number>;
}

/** Starts one of the programs, which asks the model at `modelUrl`; resolves when it listens. */
export async function startPeer(name: 'dbos' | 'floor', modelUrl: string, undo: Undo): Promise<Peer> {
  const packages = await installPackages('peers', PEERS);
  const home = mkdtempSync(join(tmpdir(), 'everturn-bench-peer-'));
  undo.add(() => rmSync(home, { recursive: true, force: true }));
  // PostgreSQL may run under another user.
  chmodSync(home, 0o711);
  const port = await freePort();
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), port, log: () => undefined });
  undo.add(postgres.stop);
  // Packages are looked for from where a program lies, and another checkout may have other programs.
  cpSync(PROGRAMS, join(home, 'programs'), { recursive: true });
  symlinkSync(join(packages, 'node_modules'), join(home, 'node_modules'));
  const program = { file: join(home, 'programs', `${name}.mjs`), databaseUrl: postgres.ownerUrl, modelUrl };
  const { url, pid } = await runProgram(program, undo);
  const pids = new Map([
    ['app', pid],
    ['PostgreSQL', postgres.pid],
  ]);
  return { url, pids };
}

const PEERS = fileURLToPath(new URL('.', import.meta.url));

/** The folder of the programs. */
export const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url));

interface Program {
  readonly file: string;
  /** Of a database in which it may create tables. */
  readonly databaseUrl: string;
  readonly modelUrl: string;
}

const readySchema = z.object({ url: z.string() });

/** Runs a program of the peers; resolves to its address when it listens. */
export async function runProgram(
  { file, databaseUrl, modelUrl }: Program,
  undo: Undo,
): Promise<{ url: string; pid: number }> {
  const env = {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    MODEL_URL: modelUrl,
  };
  const app = await spawnPart({ command: process.execPath, args: [file], env, ipc: true, log: () => undefined });
  undo.add(async () => app.end([{ signal: 'SIGTERM', limitMs: 2_000 }]));
  const ended = app.exited.then((reason) => {
    throw new Error(`a peer ended (${reason}):\n${app.recentOutput()}`);
  });
  const [message] = (await Promise.race([once(app.child, 'message'), ended])) as [unknown];
  return { url: readySchema.parse(message).url, pid: app.pid };
}
