import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import type { Undo } from '../../test/support/undo.ts';

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
