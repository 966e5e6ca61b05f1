import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';
import { SocketClient } from '../support/socket-client.ts';
import { SseClient } from '../support/sse-client.ts';
import type { TestInstance } from '../support/test-instance.ts';
import { waitUntil } from '../support/wait-until.ts';

/** A message as the API shows it. */
export interface ShownMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly metadata_: Readonly<Record<string, unknown>>;
  readonly provider_used: string | null;
  readonly created_at: string;
}

/** The greatest page of messages that the API returns. */
const PAGE_SIZE = 500;

interface ChatOptions {
  readonly agent?: Record<string, unknown>;
  readonly provider?: Record<string, unknown>;
}

interface PostOptions {
  readonly apiUrl?: string;
  readonly lastEventId?: string | undefined;
}

/** Makes another organization the active one of a chat's user; answers the id of the chat's. */
export async function moveAway({ user: { client } }: OpenChat): Promise<string> {
  const { json: me } = await client.get<{ active_org_id: string }>('/api/users/me');
  const { json: other } = await client.post<{ id: string }>('/api/orgs', { name: 'Elsewhere' });
  await client.post(`/api/orgs/${other.id}/switch`);
  return me.active_org_id;
}

/** A chat of a user of its own, and the clients that a test connects to it. */
export class OpenChat {
  readonly user: TestUser;
  readonly id: string;
  readonly #apiUrl: string;
  readonly #clients: { close(): void }[] = [];

  private constructor(user: TestUser, id: string, apiUrl: string) {
    this.user = user;
    this.id = id;
    this.#apiUrl = apiUrl;
  }

  /** Registers a user whose one account leads to the scripted model, and opens a chat. */
  static async create(
    instance: Pick<TestInstance, 'api' | 'model'>,
    { agent, provider }: ChatOptions = {},
  ): Promise<OpenChat> {
    const { url } = instance.api;
    const user = await registerUser(url);
    await createProvider(user.client, instance.model.url, provider);
    const agentId = await createAgent(user.client, agent);
    return new OpenChat(user, await createChat(user.client, agentId), url);
  }

  /** Another chat of the same user; with no agent of its own unless one is named. */
  async another(agentId?: string): Promise<OpenChat> {
    return new OpenChat(this.user, await createChat(this.user.client, agentId), this.#apiUrl);
  }

  /** Connects over the socket and waits until the server shows what happens from then on. */
  async connect(apiUrl = this.#apiUrl, token = this.user.accessToken): Promise<SocketClient> {
    const socket = await SocketClient.connect(apiUrl, this.id, token);
    this.#clients.push(socket);
    return socket;
  }

  /** Connects with the subprotocol, whose frames say what they are about. */
  async connectVersioned(apiUrl = this.#apiUrl): Promise<SocketClient> {
    const socket = await SocketClient.connectVersioned(apiUrl, this.id, this.user.accessToken);
    this.#clients.push(socket);
    return socket;
  }

  /** Sends a message over server-sent events and reads its answer. */
  async post(body: Record<string, unknown>, { apiUrl = this.#apiUrl, lastEventId }: PostOptions = {}) {
    return this.#open({ url: this.#streamUrl(apiUrl), token: this.user.accessToken, body, lastEventId });
  }

  /** Reads the running turn, or the one that `lastEventId` names, over server-sent events. */
  async attach({ apiUrl = this.#apiUrl, lastEventId }: PostOptions = {}): Promise<SseClient> {
    return this.#open({ url: this.#streamUrl(apiUrl), token: this.user.accessToken, lastEventId });
  }

  async messages(): Promise<ShownMessage[]> {
    const messages: ShownMessage[] = [];
    for (;;) {
      const page = await this.#page(`limit=${PAGE_SIZE}&offset=${messages.length}`);
      messages.push(...page);
      if (page.length < PAGE_SIZE) return messages;
    }
  }

  async newestMessage(): Promise<ShownMessage | undefined> {
    const [newest] = await this.#page('newest=true&limit=1');
    return newest;
  }

  /** The stored answers, oldest first. */
  async answers(): Promise<ShownMessage[]> {
    return (await this.messages()).filter(({ role }) => role === 'assistant');
  }

  /** Waits until the chat has `count` answers. */
  async waitForAnswers(count: number): Promise<ShownMessage[]> {
    return waitUntil(`${count} answers`, async () => {
      const answers = await this.answers();
      return answers.length >= count ? answers : undefined;
    });
  }

  /** Cuts all connections. */
  close(): void {
    for (const client of this.#clients) client.close();
  }

  async #page(query: string): Promise<ShownMessage[]> {
    const { json } = await this.user.client.get<ShownMessage[]>(`/api/chats/${this.id}/messages?${query}`);
    return json;
  }

  #streamUrl(apiUrl: string): string {
    return `${apiUrl}/api/chats/${this.id}/stream`;
  }

  async #open(request: Parameters<typeof SseClient.open>[0]): Promise<SseClient> {
    const stream = await SseClient.open(request);
    this.#clients.push(stream);
    return stream;
  }
}
