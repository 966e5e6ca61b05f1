import type { AnswerOptions, JournalEntry } from '../../test/support/scripted-model/index.ts';

/** The times of a request at the model: its arrival, its first content, its end. */
export type ModelTimes = Pick<JournalEntry, 'startedAt' | 'firstContentAt' | 'endedAt'>;

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
