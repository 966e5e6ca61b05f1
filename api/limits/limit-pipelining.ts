import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The requests of one connection that may wait for their responses; clients send the next one when they have theirs.
 */
const MAX_WAITING = 8;

/**
 * Serves requests, and closes a connection that sends more and more without reading the responses: they would all be
 * computed at once, and kept until it reads them.
 */
export function limitPipelining(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count <= MAX_WAITING) serve(request, response);
    else socket.destroy();
  };
}
