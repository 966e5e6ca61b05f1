import type { RequestListener } from 'node:http';

/** Pieces that the body of one request may arrive in: of the longest, some hundred bytes each. */
const MAX_PIECES = 4_000;

/**
 * Serves requests, and breaks a connection off whose body comes in chunks of a byte or little more. Each chunk costs the
 * process a microsecond and a hundred bytes while it is held, a hundred times what it carries; one packet has thousands.
 */
export function limitBodyChunks(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const push = request.push.bind(request);
    let pieces = 0;
    // On the request itself: Express exchanges its prototype.
    request.push = (chunk, encoding) => {
      pieces += 1;
      if (pieces <= MAX_PIECES || chunk === null) return push(chunk, encoding);
      socket.destroy();
      return false;
    };
    // What is still to come when it has been answered is read and counted, too; Node would read it past `push`.
    response.prependOnceListener('finish', () => {
      request.read(0);
      request.resume();
    });
    serve(request, response);
  };
}
