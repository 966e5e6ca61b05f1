import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Plan, planSchema } from './plan.ts';

/** A statement that was run, and what it cost. */
export interface RunStatement {
  readonly text: string;
  readonly plan: Plan;
}

const TYPE = { parse: 'P', bind: 'B', notice: 'N' };
const PLAN_STARTS = 'plan:\n';

/**
 * Stands between the product and PostgreSQL, passes everything on, and records which statements are sent, with the
 * plans that `auto_explain` reports of them and of those within functions and triggers. So nothing that a process sends
 * escapes, whatever its code.
 */
export class StatementRecorder {
  /** The address of the database through the recorder. */
  readonly url: string;
  /** The names of the prepared statements that were sent. */
  readonly names = new Set<string>();
  readonly statements: RunStatement[] = [];
  /** The names of the prepared statements that were run, in their order, one for each time. */
  readonly runs: string[] = [];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(databaseUrl: string): Promise<StatementRecorder> {
    const target = new URL(databaseUrl);
    const sockets = new Set<Socket>();
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the recorder has no port');
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${address.port}`;
    const recorder = new StatementRecorder(url.href, server, sockets);
    server.on('connection', (client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.setNoDelay();
        socket.on('close', () => sockets.delete(socket));
      }
      recorder.#join(client, upstream);
    });
    return recorder;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, upstream: Socket): void {
    const sent = new MessageReader(true, (type, body) => {
      if (type === TYPE.parse) this.names.add(textUntilZero(body, 0));
      // The name of the portal comes first.
      if (type === TYPE.bind) this.runs.push(textUntilZero(body, body.indexOf(0) + 1));
    });
    const answered = new MessageReader(false, (type, body) => {
      if (type === TYPE.notice) this.#note(body);
    });
    client.on('data', (chunk) => sent.take(chunk));
    upstream.on('data', (chunk) => answered.take(chunk));
    client.pipe(upstream);
    upstream.pipe(client);
    // A process that is killed resets its connections.
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  }

  #note(body: Buffer): void {
    const message = messageOf(body);
    const start = message.indexOf(PLAN_STARTS);
    if (start === -1) return;
    const logged = planSchema.parse(JSON.parse(message.slice(start + PLAN_STARTS.length)));
    this.statements.push({ text: logged['Query Text'], plan: logged.Plan });
  }
}

/** Cuts one direction of a connection into the messages of PostgreSQL's protocol. */
class MessageReader {
  readonly #take: (type: string, body: Buffer) => void;
  // The first message of a client has no type.
  #hasType: boolean;
  #rest: Buffer = Buffer.alloc(0);

  constructor(isClient: boolean, take: (type: string, body: Buffer) => void) {
    this.#hasType = !isClient;
    this.#take = take;
  }

  take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const head = this.#hasType ? 1 : 0;
      if (this.#rest.length < head + 4) return;
      const end = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < end) return;
      if (this.#hasType) this.#take(this.#rest.toString('latin1', 0, 1), this.#rest.subarray(head + 4, end));
      this.#hasType = true;
      this.#rest = this.#rest.subarray(end);
    }
  }
}

function textUntilZero(body: Buffer, start: number): string {
  return body.toString('utf8', start, body.indexOf(0, start));
}

// Fields of a letter and a text each; `M` is the message.
function messageOf(body: Buffer): string {
  for (let start = 0; start < body.length && body[start] !== 0;) {
    const text = textUntilZero(body, start + 1);
    if (body.toString('latin1', start, start + 1) === 'M') return text;
    start += Buffer.byteLength(text) + 2;
  }
  return '';
}
