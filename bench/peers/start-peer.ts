import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/stack/postgres/start-postgres.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Undo } from '../../test/support/undo.ts';
import { installPeers } from './install-peers.ts';
import { PROGRAMS, runProgram } from './run-program.ts';

/** A smaller program that serves chats, with a PostgreSQL of its own that has the settings of the product's. */
export interface Peer {
  readonly url: string;
  /** Its processes, by name. */
  readonly pids: ReadonlyMap<string, number>;
}

/** Starts one of the programs, which asks the model at `modelUrl`; resolves when it listens. */
export async function startPeer(name: 'dbos' | 'floor', modelUrl: string, undo: Undo): Promise<Peer> {
  const packages = await installPeers();
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
