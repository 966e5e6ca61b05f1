import { Pool } from 'undici';
import { z } from 'zod';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import type { TurnTimes } from './driver-protocol.ts';

const createdSchema = z.object({ id: z.string() });

/** A user who opens a new chat for each message. */
interface Asker {
  readonly key: string;
  readonly orgId: string;
  readonly agentId: string;
}

/** Sends messages over HTTP, each in a new chat: `POST /api/chats`, then the message, whose answer is streamed. */
export class NewChatClient {
  readonly #pool: Pool;

  constructor(apiUrl: string, connections: number) {
    this.#pool = new Pool(apiUrl, { connections, bodyTimeout: 120_000, headersTimeout: 120_000 });
  }

  /** Sees one turn through. Rejects when it failed. */
  async runTurn({ key, orgId, agentId }: Asker, content: string): Promise<TurnTimes> {
    const askedAt = preciseNow();
    const made = await this.#post('/api/chats', key, { agent_id: agentId });
    const { id } = createdSchema.parse(await made.json());
    const sentAt = preciseNow();
    const stream = await this.#post(`/api/chats/${id}/stream`, key, { content });
    let text = '';
    let firstAt: number | undefined;
    for await (const bytes of stream) {
      text += String(bytes);
      if (text.includes('event: chunk')) firstAt ??= preciseNow();
    }
    const endedAt = preciseNow();
    if (firstAt === undefined || !text.includes('event: stream_end')) throw new Error(`the turn failed: ${text}`);
    return { sentAt, firstAt, endedAt, newChat: { askedAt, workflowId: `chat/${orgId}/${id}` } };
  }

  async #post(path: string, key: string, body: object) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await this.#pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    if (answer.statusCode >= 300)
      throw new Error(`POST ${path} answered ${answer.statusCode}: ${await answer.body.text()}`);
    return answer.body;
  }
}
