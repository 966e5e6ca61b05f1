import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api-client.ts';
import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import type { TestStack } from '../support/test-stack.ts';
import { Undo } from '../support/undo.ts';
import { waitUntil } from '../support/wait-until.ts';
import { callOnce, type HostileCall, resultsOf } from './hostile-replies.ts';
import type { HostileScript, HostileServer } from './hostile-server.ts';
import type { Neighbour } from './neighbour.ts';
import { PATIENCE_MS } from './patience.ts';

/** Where attacks take place. */
export interface Scene {
  readonly stack: TestStack;
  readonly server: HostileServer;
  readonly neighbour: Neighbour;
  /** How long an attack goes on at least that has no end of its own, in milliseconds. */
  readonly attackMs: number;
}

/** How a message of an attacker ended. */
export interface Ending {
  /** `stopped`: it went on until the attacker interrupted it; `stopping`: it did not end after that. */
  readonly kind: 'answered' | 'failed' | 'refused' | 'stopped' | 'stopping';
  /** The answer, or why there is none. */
  readonly text: string;
  readonly tookMs: number;
}

/** How calls of tools ended. */
export interface CallsEnding extends Ending {
  /** What the model was told of the calls; empty when the turn was stopped before. */
  readonly results: readonly string[];
}

/** How the same calls ended in several chats. */
export interface ManyCallsEnding {
  readonly endings: readonly Ending[];
  /** Of the calls that ended before that. */
  readonly results: readonly string[];
}

interface StreamedMessage {
  readonly content: string;
  readonly metadata_: { readonly status: string };
}

/** A fresh account in a fresh organization, and what it attacks with. */
export class Attacker {
  readonly scene: Scene;
  readonly user: TestUser;
  readonly #undo = new Undo();
  #beganAt = Date.now();

  private constructor(scene: Scene, user: TestUser) {
    this.scene = scene;
    this.user = user;
  }

  static async register(scene: Scene): Promise<Attacker> {
    return new Attacker(scene, await registerUser(scene.stack.url));
  }

  get client(): ApiClient {
    return this.user.client;
  }

  get url(): string {
    return this.scene.stack.url;
  }

  /** When the attack began, in milliseconds since the epoch. */
  get beganAt(): number {
    return this.#beganAt;
  }

  /** Fills the database behind the service's back, as it would be filled in months; the attack begins after that. */
  async fill(sql: string, values: unknown[]): Promise<void> {
    await this.scene.stack.query(sql, values);
    this.#beganAt = Date.now();
  }

  /** Has something done when the attack is over. */
  afterwards(step: () => void | Promise<void>): void {
    this.#undo.add(step);
  }

  /** Serves the outside world's half of the attack, and answers its address. */
  host(script: HostileScript): string {
    return this.scene.server.host(randomUUID(), script);
  }

  /** Adds a provider account whose model answers as the script says, and answers its id. */
  async model(script: HostileScript, fields: Record<string, unknown> = {}): Promise<string> {
    return createProvider(this.client, `${this.host(script)}/v1`, { name: 'Hostile', cooldown_seconds: 0, ...fields });
  }

  /** Makes a chat with an agent of its own that has these tools, and answers its id. */
  async chat(tools: readonly string[] = [], fields: Record<string, unknown> = {}): Promise<string> {
    return createChat(this.client, await createAgent(this.client, { tools, ...fields }));
  }

  /** Makes several chats with one agent, and answers their ids. */
  async chats(count: number, tools: readonly string[] = []): Promise<string[]> {
    const agentId = await createAgent(this.client, { tools });
    return Promise.all(Array.from({ length: count }, async () => createChat(this.client, agentId)));
  }

  /** Sends a message and waits for its end; what goes on for too long is interrupted. */
  async ask(chatId: string, content = 'Go on.', limitMs = this.scene.attackMs): Promise<Ending> {
    return this.#askUntil(chatId, content, async () => this.waitUntilOver(limitMs));
  }

  /** Sends a message that is to be answered, however long that takes, and waits for its end. */
  async askToTheEnd(chatId: string, content: string): Promise<Ending> {
    return this.ask(chatId, content, PATIENCE_MS);
  }

  async #askUntil(chatId: string, content: string, interruption: () => Promise<unknown>): Promise<Ending> {
    const from = performance.now();
    const stream = await this.stream(chatId, { content });
    const ending = (kind: Ending['kind'], text: string) => ({ kind, text, tookMs: performance.now() - from });
    if (stream.status !== 200) return ending('refused', `HTTP ${stream.status} ${JSON.stringify(stream.problem)}`);
    const hasEnded = await endsBefore(stream, interruption());
    if (!hasEnded) {
      await this.client.post(`/api/chats/${chatId}/interrupt`);
      if (!(await endsBefore(stream, sleep(PATIENCE_MS, undefined, { ref: false })))) return ending('stopping', '');
    }
    const end = stream.events.find(({ event }) => event === 'stream_end' || event === 'error');
    if (end?.event === 'error') return ending('failed', String(end.data['message']));
    if (end === undefined) throw new Error('the stream closed before the end of its turn');
    const { content: text, metadata_: metadata } = end.data['message'] as StreamedMessage;
    return ending(hasEnded && metadata.status !== 'interrupted' ? 'answered' : 'stopped', text);
  }

  /** Has a model make calls in one reply, and waits for their end. */
  async runCalls(calls: readonly HostileCall[], limitMs?: number): Promise<CallsEnding> {
    const results: string[] = [];
    const script = callOnce(calls);
    await this.model((request, response) => {
      results.push(...resultsOf(request));
      return script(request, response);
    });
    const chatId = await this.chat([...new Set(calls.map(({ name }) => name))]);
    return { ...(await this.ask(chatId, undefined, limitMs)), results };
  }

  /** Has a model make the same calls in several chats at once, whose folders can be filled before. */
  async runCallsInChats(
    count: number,
    calls: readonly HostileCall[],
    prepare?: (folder: string) => Promise<void>,
  ): Promise<ManyCallsEnding> {
    await this.model(callOnce(calls));
    const chats = await this.chats(count, [...new Set(calls.map(({ name }) => name))]);
    if (prepare !== undefined) for (const chatId of chats) await prepare(this.workspace(chatId));
    this.#beganAt = Date.now();
    const interruption = this.#untilOneCallHasEnded();
    const endings = await Promise.all(
      chats.map(async (chatId) => this.#askUntil(chatId, 'Go on.', async () => interruption)),
    );
    return { endings, results: await this.#resultsOfEndedCalls() };
  }

  // A busy machine may take longer for the first call than an attack is to last.
  async #untilOneCallHasEnded(): Promise<void> {
    await this.waitUntilOver();
    const hasEnded = async () => (await this.#resultsOfEndedCalls()).length > 0 || undefined;
    await waitUntil('one of the calls to end', hasEnded);
  }

  async #resultsOfEndedCalls(): Promise<string[]> {
    const sql = "select result from tool_calls where org_id = $1 and status in ('success', 'error')";
    const ended = await this.scene.stack.query<{ result: string }>(sql, [this.user.orgId]);
    return ended.map(({ result }) => result);
  }

  /** Opens a socket to a chat; undefined when it is refused. */
  async socket(chatId: string): Promise<SocketClient | undefined> {
    const socket = await SocketClient.connect(this.url, chatId, this.user.accessToken).catch(() => undefined);
    if (socket !== undefined) this.afterwards(() => socket.close());
    return socket;
  }

  /** Opens a stream of a chat: of what goes on in it, or of the answer to a message. */
  async stream(chatId: string, body?: { readonly content: string }): Promise<SseClient> {
    const url = `${this.url}/api/chats/${chatId}/stream`;
    const stream = await SseClient.open({ url, token: this.user.accessToken, body });
    this.afterwards(() => stream.close());
    return stream;
  }

  /** Acts again and again, several times at once, until the attack is over or it was done so many times. */
  async repeat<T>(width: number, act: (index: number) => Promise<T>, most = Infinity): Promise<T[]> {
    const part = this.begun();
    return actWhile(width, act, (begun) => begun < most && !part.isOver);
  }

  /** Acts so many times, several at once, however long that takes. */
  async complete<T>(width: number, act: (index: number) => Promise<T>, count: number): Promise<T[]> {
    return actWhile(width, act, (begun) => begun < count);
  }

  /**
   * Waits until the attack is over: it has gone on for its time, and the neighbour has been answered a message that
   * was sent meanwhile.
   */
  async waitUntilOver(attackMs = this.scene.attackMs): Promise<void> {
    await Promise.all([sleep(attackMs, undefined, { ref: false }), this.scene.neighbour.answeredSince(Date.now())]);
  }

  /** Begins a part of the attack, and says of it whether it is over. */
  begun(): { readonly isOver: boolean } {
    const state = { isOver: false };
    const end = () => (state.isOver = true);
    void this.waitUntilOver().then(end, end);
    return state;
  }

  /** Folder of a chat's files. */
  workspace(chatId: string): string {
    return join(this.scene.stack.home, 'workspaces', this.user.orgId, chatId);
  }

  /** Ends the attack: hangs up, and deletes the organization with what goes on in it. */
  async leave(): Promise<void> {
    await this.#undo.all();
    await this.client.delete(`/api/orgs/${this.user.orgId}`);
    const { stack } = this.scene;
    await waitUntil('the turns of the attacker to end', async () => {
      const sql = "select id from turns where org_id = $1 and status in ('queued', 'running') limit 1";
      return (await stack.query(sql, [this.user.orgId])).length === 0 ? true : undefined;
    });
  }
}

async function actWhile<T>(
  width: number,
  act: (index: number) => Promise<T>,
  goesOn: (begun: number) => boolean,
): Promise<T[]> {
  const outcomes: T[] = [];
  let begun = 0;
  const work = async () => {
    while (goesOn(begun)) {
      begun += 1;
      outcomes.push(await act(begun - 1));
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return outcomes;
}

async function endsBefore(stream: SseClient, limit: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const end = () => over.abort();
  void limit.then(end, end);
  while (!stream.isDone && !over.signal.aborted) await sleep(25);
  return stream.isDone;
}
