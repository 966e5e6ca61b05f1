import type { RequestListener } from 'node:http';

/**
 * The number of pieces that the body of one request may arrive in; the longest body has pieces of some hundred bytes.
 */
const MAX_PIECES = 4_000;

/**
 * Serves requests, and closes a connection whose body comes in chunks of a byte or little more. Each chunk costs the
 * process a microsecond and a hundred bytes while it is held, a hundred times its content; one packet has thousands.
 */
export function limitBodyChunks(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const push = request.push.bind(request);
    let pieces = 0;
    // On the request itself, because Express replaces its prototype.
    request.push = (chunk, encoding) => {
      pieces += 1;
      if (pieces <= MAX_PIECES || chunk === null) return push(chunk, encoding);
      socket.destroy();
      return false;
    };
    // Data after the response is read and counted too; Node would read it past `push`.
    response.prependOnceListener('finish', () => {
      request.read(0);
      request.resume();
    });
    serve(request, response);
  };
}
