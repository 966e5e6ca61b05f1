import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of one connection that may wait for their answers; clients send the next one when they have been answered. */
const MAX_WAITING = 8;

/**
 * Serves requests, and breaks a connection off that asks for more and more without taking the answers: they would all be
 * made at once, and be kept until it takes them.
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
