import { fileURLToPath } from 'node:url';
import { spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import type { Undo } from '../../test/support/undo.ts';

const FILES = {
  scripted: new URL('../../test/support/scripted-model/main.ts', import.meta.url),
  stream: new URL('./stream-model.ts', import.meta.url),
};

/** A model as a process of its own. */
export interface ModelProcess {
  readonly pid: number;
  /** Ends in `/v1`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a model with the options of its command line; resolves when it listens. */
export async function startModel(
  kind: keyof typeof FILES,
  undo: Undo,
  // Enough requests for the turns that are looked at one by one.
  options: readonly string[] = kind === 'scripted' ? ['--journal-limit=300'] : [],
): Promise<ModelProcess> {
  const listening = Promise.withResolvers<{ url: string }>();
  let printed = '';
  const part = await spawnPart({
    command: process.execPath,
    args: ['--disable-warning=ExperimentalWarning', fileURLToPath(FILES[kind]), ...options],
    log: (text) => {
      printed += text;
      if (printed.includes('\n')) listening.resolve(JSON.parse(printed.split('\n', 1)[0] ?? '') as { url: string });
    },
  });
  const stop = async (): Promise<void> => part.end([{ signal: 'SIGTERM', limitMs: 2_000 }]);
  undo.add(stop);
  void part.exited.then((reason) => listening.reject(new Error(`the ${kind} model ended (${reason}):\n${printed}`)));
  const { url } = await listening.promise;
  return { pid: part.pid, url, stop };
}
