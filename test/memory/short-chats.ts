import { createAgent, createChat, createProvider, registerUser, type TestUser } from '../support/factories.ts';

const USERS = 4;
/** Chats that are under way at once. */
const AT_ONCE = 16;

interface Speaker {
  readonly user: TestUser;
  readonly agentId: string;
}

/** Users who open chats, say one thing in each and read the answer. */
export class ShortChats {
  readonly #apiUrl: string;
  readonly #speakers: readonly Speaker[];

  private constructor(apiUrl: string, speakers: readonly Speaker[]) {
    this.#apiUrl = apiUrl;
    this.#speakers = speakers;
  }

  static async open(apiUrl: string, modelUrl: string): Promise<ShortChats> {
    const speakers = Array.from({ length: USERS }, async () => {
      const user = await registerUser(apiUrl);
      await createProvider(user.client, modelUrl);
      return { user, agentId: await createAgent(user.client) };
    });
    return new ShortChats(apiUrl, await Promise.all(speakers));
  }

  /** Has that many chats, each from its creation to the end of its only turn. Throws when one has no answer. */
  async have(count: number): Promise<void> {
    let left = count;
    const talk = async (speaker: Speaker) => {
      while (left > 0) {
        left -= 1;
        await this.#haveOne(speaker);
      }
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, at) => this.#speakers[at % USERS]).flatMap((each) =>
        each === undefined ? [] : talk(each),
      ),
    );
  }

  async #haveOne({ user, agentId }: Speaker): Promise<void> {
    const chatId = await createChat(user.client, agentId);
    const response = await fetch(`${this.#apiUrl}/api/chats/${chatId}/stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'What is the weather like in Lisbon today?' }),
    });
    const events = await response.text();
    if (!events.includes('event: stream_end')) throw new Error(`a chat has no answer: ${response.status} ${events}`);
  }
}
