import { connect } from 'node:net';

/** An answer as it came over the wire, the last one when there were several. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

interface RawRequest {
  /** Without the blank line that ends it; `Connection: close` is added. */
  readonly head: string;
  /** The values of the `Host` headers; the host of the server unless given. */
  readonly hosts?: readonly string[];
  readonly body?: string | Buffer;
  /** Called, and awaited, between the first byte of the body and the rest. */
  readonly meanwhile?: () => Promise<unknown>;
}

const ANSWER = /HTTP\/1\.1 (?<status>\d{3})/g;

/** Sends a request just as it is written, and reads until the server closes. */
export async function sendRaw(url: string, { head, hosts, body = '', meanwhile }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  // A server that refuses early resets what is still being sent; what it answered counts.
  socket.on('error', () => undefined);
  const named = (hosts ?? [hostname]).map((host) => `Host: ${host}\r\n`).join('');
  socket.write(Buffer.from(`${head}\r\n${named}Connection: close\r\n\r\n`, 'latin1'));
  if (meanwhile === undefined) socket.write(body);
  else {
    socket.write(body.slice(0, 1));
    await meanwhile();
    socket.write(body.slice(1));
  }
  await new Promise((resolve) => socket.once('close', resolve));
  const statuses = [...text.matchAll(ANSWER)].map((match) => Number(match.groups?.['status']));
  return { status: statuses.at(-1) ?? 0, text };
}
