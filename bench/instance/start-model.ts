import { fileURLToPath } from 'node:url';
import { spawnPart } from '../../scripts/stack/parts/spawn-part.ts';
import type { AnswerOptions, JournalEntry } from '../../test/support/scripted-model/index.ts';
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

/** The times of a request at the model: its arrival, its first content, its end. */
type ModelTimes = Pick<JournalEntry, 'startedAt' | 'firstContentAt' | 'endedAt'>;

/** A request that the model got. */
export type ModelRequest = ModelTimes & Pick<JournalEntry, 'messages' | 'chunksSent'>;

/** The scripted model's control endpoint. */
export class ModelControl {
  readonly #root: URL;

  constructor(modelUrl: string) {
    this.#root = new URL('/', modelUrl);
  }

  /** Has every request answered in this way. */
  async answer(options: AnswerOptions): Promise<void> {
    await this.#ask('script', { method: 'POST', body: JSON.stringify({ kind: 'answer', ...options }) });
  }

  /** Has every request answered as the directives of its message say. */
  async followDirectives(): Promise<void> {
    await this.#ask('script', { method: 'POST', body: 'null' });
  }

  /** Forgets all requests so far. */
  async forget(): Promise<void> {
    await this.#ask('journal', { method: 'DELETE' });
  }

  /** Returns the requests since then, oldest first. */
  async requests(): Promise<ModelRequest[]> {
    return (await (await this.#ask('journal', {})).json()) as ModelRequest[];
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(new URL(path, this.#root), init);
    if (!response.ok) throw new Error(`the scripted model answered ${response.status}`);
    return response;
  }
}
