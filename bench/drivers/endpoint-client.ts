import { Pool } from 'undici';
import { z } from 'zod';
import { preciseNow } from '../../test/support/scripted-model/index.ts';
import type { TurnTimes } from './driver-protocol.ts';

/** The endpoints for clients of other protocols; each but the first goes on with its conversation. */
export const ENDPOINTS = ['chat-completions', 'responses', 'mcp'] as const;
export type EndpointName = (typeof ENDPOINTS)[number];

/** A client of a endpoint, and where it goes on. */
interface EndpointUser {
  readonly key: string;
  readonly agentId: string;
  /** The response, or the chat, that the next message goes on with. */
  last?: string;
}

interface EndpointProtocol {
  readonly path: string;
  bodyOf(user: EndpointUser, content: string): object;
  /** What the stream has once the first text has come, and at its end. */
  readonly first: string;
  readonly end: RegExp;
}

const PROTOCOLS: Readonly<Record<EndpointName, EndpointProtocol>> = {
  'chat-completions': {
    path: '/v1/chat/completions',
    bodyOf: ({ agentId }, content) => ({ model: agentId, messages: [{ role: 'user', content }], stream: true }),
    first: '"delta":{"content":',
    end: /data: \[DONE\]/,
  },
  responses: {
    path: '/v1/responses',
    bodyOf: ({ agentId, last }, input) => ({ model: agentId, input, previous_response_id: last, stream: true }),
    first: 'response.output_text.delta',
    end: /event: response\.completed\n.*?"id":"(?<last>resp_[^"]+)"/s,
  },
  mcp: {
    path: '/mcp',
    bodyOf: ({ agentId, last }, message) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'ask_agent',
        arguments: last === undefined ? { agent: agentId, message } : { chat_id: last, message },
        _meta: { progressToken: 1 },
      },
    }),
    first: 'notifications/progress',
    end: /"structuredContent":\{"chat_id":"(?<last>[^"]+)"[^}]*"status":"completed"/,
  },
};

const endSchema = z.object({ last: z.string().optional() });

/** Sends messages through a endpoint, over connections that stay open. */
export class EndpointClient {
  readonly #pool: Pool;
  readonly #protocol: EndpointProtocol;

  constructor(apiUrl: string, endpoint: EndpointName, connections: number) {
    this.#pool = new Pool(apiUrl, { connections, bodyTimeout: 120_000, headersTimeout: 120_000 });
    this.#protocol = PROTOCOLS[endpoint];
  }

  /** Sees one turn through. Rejects when it failed. */
  async runTurn(user: EndpointUser, content: string): Promise<TurnTimes> {
    const { path, bodyOf, first, end } = this.#protocol;
    const headers = {
      authorization: `Bearer ${user.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const sentAt = preciseNow();
    const body = JSON.stringify(bodyOf(user, content));
    const answer = await this.#pool.request({ method: 'POST', path, headers, body });
    let text = '';
    let firstAt: number | undefined;
    for await (const bytes of answer.body) {
      text += String(bytes);
      if (text.includes(first)) firstAt ??= preciseNow();
    }
    const endedAt = preciseNow();
    const ended = end.exec(text);
    if (firstAt === undefined || ended === null) throw new Error(`the turn failed (${answer.statusCode}): ${text}`);
    const { last } = endSchema.parse(ended.groups ?? {});
    if (last !== undefined) user.last = last;
    return { sentAt, firstAt, endedAt };
  }
}
