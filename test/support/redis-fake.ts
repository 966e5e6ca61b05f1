import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import type { Certificate } from './certificate.ts';

/** A server that takes commands as Redis does (RESP 2), and answers what its test says. */
export class RedisFake {
  readonly seen: string[][] = [];
  /** Answers a command, in the bytes of the protocol. */
  reply: (command: readonly string[], socket: Socket) => string | Buffer | undefined = () => '+OK\r\n';
  readonly #server: Server;

  private constructor(certificate: Certificate | undefined) {
    const take = (socket: Socket) => this.#take(socket);
    this.#server = certificate === undefined ? createServer(take) : createSecureServer(certificate, take);
  }

  static async start(certificate?: Certificate): Promise<RedisFake> {
    const fake = new RedisFake(certificate);
    fake.#server.on('connection', (socket: Socket) => socket.on('error', () => undefined));
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }

  #take(socket: Socket): void {
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (data: Buffer) => {
        text += data.toString('latin1');
        for (let command = firstCommand(text); command !== undefined; command = firstCommand(text)) {
          text = text.slice(command.length);
          this.seen.push(command.parts);
          const answer = this.reply(command.parts, socket);
          if (answer !== undefined) socket.write(answer);
        }
      });
  }
}

/** Returns the command that a text begins with, once all of it is there. */
function firstCommand(text: string): { readonly parts: string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const parts: string[] = [];
  let at = head[0].length;
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at));
    if (size === null) return undefined;
    const begin = at + size[0].length;
    const end = begin + Number(size[1]);
    if (text.length < end + 2) return undefined;
    parts.push(Buffer.from(text.slice(begin, end), 'latin1').toString());
    at = end + 2;
  }
  return { parts, length: at };
}
