/** Sends messages of the protocol as they are written, where the official clients would not. */
export class RawMcp {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Sends a message, or a text that is none; the answer may be a stream. */
  async send(message: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.#url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
      ...(signal !== undefined && { signal }),
    });
  }

  /** Calls a tool, by the protocol of 2025. */
  async call(
    name: string,
    args: object,
    { id = 1, headers, signal }: { id?: number; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const params = { name, arguments: args, _meta: { progressToken: id } };
    return this.send({ jsonrpc: '2.0', id, method: 'tools/call', params }, headers, signal);
  }

  /** Opens a session of 2025, and returns its id. */
  async openSession(): Promise<string> {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const answer = await this.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? '';
  }
}

/** Reads the messages of an answer, one after the other. */
export async function* messagesIn(answer: Response): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of answer.body ?? []) {
    const events = `${rest}${decoder.decode(chunk as Uint8Array, { stream: true })}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined && data !== 'data: ')
        yield JSON.parse(data.slice('data: '.length)) as Record<string, unknown>;
    }
  }
}
