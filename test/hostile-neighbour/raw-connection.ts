import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attacker } from './attacker.ts';

const KEPT_CHARACTERS = 2_000;

/** A connection to the api that sends what no client would send, and reads only when it is told to. */
export class RawConnection {
  readonly socket: Socket;
  /** The beginning of what came back. */
  received = '';
  receivedBytes = 0;
  isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
    socket.on('data', (data: Buffer) => {
      this.receivedBytes += data.byteLength;
      if (this.received.length < KEPT_CHARACTERS) this.received += data.toString('latin1').slice(0, KEPT_CHARACTERS);
    });
  }

  static async open(attacker: Attacker, localAddress?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(attacker.url);
    const connection = new RawConnection(
      connect({ port: Number(port), host: hostname, ...(localAddress !== undefined && { localAddress }) }),
    );
    attacker.afterwards(() => void connection.socket.destroy());
    await Promise.race([once(connection.socket, 'connect'), once(connection.socket, 'close')]);
    return connection;
  }

  /** Sends something, as far as the api still takes it. */
  send(data: string | Buffer): void {
    if (!this.socket.destroyed) this.socket.write(data);
  }

  /** Sends something and waits until it is on its way, or nobody takes it any more. */
  async deliver(data: string | Buffer): Promise<void> {
    if (this.socket.destroyed) return;
    await new Promise<void>((resolve) => {
      this.socket.once('close', resolve);
      this.socket.write(data, () => {
        this.socket.off('close', resolve);
        resolve();
      });
    });
  }

  /** The status of the first answer; undefined when none has come in time. */
  async status(limitMs: number): Promise<number | undefined> {
    const deadline = performance.now() + limitMs;
    while (this.received === '' && !this.isClosed && performance.now() < deadline) await sleep(20);
    const status = /^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1];
    return status === undefined ? undefined : Number(status);
  }
}

/** The head of a request with the attacker's credentials. */
export function requestHead(
  { user, url }: Attacker,
  line: string,
  headers: Readonly<Record<string, string | number>> = {},
): string {
  const all = { Host: new URL(url).host, Authorization: `Bearer ${user.accessToken}`, ...headers };
  return `${line} HTTP/1.1\r\n${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
}
