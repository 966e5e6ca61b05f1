import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from '../local-server.ts';

/** A message of the protocol that has arrived. */
export interface ArrivedMessage {
  readonly method: string;
  readonly id?: number;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
  /** The whole message as it came. */
  readonly text: string;
}

/** Returns the notes that a message carries beside its parameters. */
export function metaOf({ params = {} }: ArrivedMessage): Readonly<Record<string, unknown>> {
  return { ...(params['_meta'] as object | undefined) };
}

/** What the server does with a call; `result` and `events` answer in order. */
interface Reply {
  readonly message: ArrivedMessage;
  readonly response: ServerResponse;
  /** Answers with JSON. */
  result(result: unknown): void;
  /** Begins a stream of events. */
  open(): void;
  /** Sends one message over the stream. */
  event(message: unknown): void;
}

type Behaviour = (reply: Reply) => void;

/**
 * A server that does with a list or a call what a test wants. It speaks the protocol of 2025 unless `onDiscover` says
 * otherwise.
 */
export class HostileMcpServer extends LocalServer {
  readonly messages: ArrivedMessage[] = [];
  /** The tools that it lists. */
  tools: readonly unknown[] = [{ name: 'act', description: 'Acts.', inputSchema: { type: 'object' } }];
  /** What it says of itself when a session is opened, beside what is usual. */
  description: object = {};
  onCall: Behaviour = ({ result }) => result({ content: [{ type: 'text', text: 'done' }] });
  onDiscover: Behaviour = ({ response }) => void response.writeHead(400).end();
  onList: Behaviour = ({ result }) => result({ tools: this.tools });
  /** Answers every request with this instead, before it is read. */
  onRequest: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;

  static async start(): Promise<HostileMcpServer> {
    return new HostileMcpServer().listen();
  }

  override get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Returns the calls that have arrived. */
  get calls(): ArrivedMessage[] {
    return this.messages.filter(({ method }) => method === 'tools/call');
  }

  protected async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined);
    if (this.onRequest?.(request, response) === true) return;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const message = { ...JSON.parse(text), headers: request.headers, text } as ArrivedMessage;
    this.messages.push(message);
    this.#answer(this.#replyTo(message, response));
  }

  #replyTo(message: ArrivedMessage, response: ServerResponse): Reply {
    return {
      message,
      response,
      result: (result) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      },
      open: () => response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
      event: (each) => response.write(`data: ${JSON.stringify(each)}\n\n`),
    };
  }

  #answer(reply: Reply): void {
    const { message, response, result } = reply;
    switch (message.method) {
      case 'initialize':
        return result({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'hostile', version: '1' },
          ...this.description,
        });
      case 'tools/list':
        return this.onList(reply);
      case 'tools/call':
        return this.onCall(reply);
      case 'server/discover':
        return this.onDiscover(reply);
      default:
        response.writeHead(202).end();
    }
  }
}
