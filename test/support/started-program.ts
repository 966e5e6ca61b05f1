import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { waitUntil } from './wait-until.ts';

/** A server of another project, which runs for a test file. */
export interface StartedProgram {
  readonly port: number;
  /** The folder that is its own. */
  readonly folder: string;
  /** Everything that it has said. */
  readonly log: () => string;
  stop(): Promise<void>;
}

interface ProgramOptions {
  /** Returns its arguments, once what it needs is in its folder. */
  readonly args: (setting: { readonly folder: string; readonly port: number }) => Promise<readonly string[]>;
}

/** Starts a server on a free port of the loopback and waits until it listens. */
export async function startProgram(path: string, { args }: ProgramOptions): Promise<StartedProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'everturn-server-'));
  const port = await freePort();
  const child = spawn(path, [...(await args({ folder, port }))], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (log += data.toString()));
  await waitUntil(`${path} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${path} did not start:\n${log}`);
    return (await listens(port)) ? true : undefined;
  });
  return { port, folder, log: () => log, stop: async () => stop(child, folder) };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
  await rm(folder, { recursive: true, force: true });
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
