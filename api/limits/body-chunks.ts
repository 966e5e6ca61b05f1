import type { RequestListener } from 'node:http';

/** The number of chunks that the body of one request may arrive in, however small they are. */
const MAX_CHUNKS = 4_000;

/** The least average size of the chunks of a longer body. A packet contains more. */
const MIN_CHUNK_BYTES = 256;

/**
 * Serves requests, and closes a connection whose body comes in chunks of a byte or little more. Each chunk costs the
 * process a microsecond and, while it is buffered, a hundred bytes, a hundred times its content; one packet has
 * thousands.
 */
export function limitBodyChunks(serve: RequestListener): RequestListener {
  return (request, response) => {
    const { socket } = request;
    const push = request.push.bind(request);
    let chunks = 0;
    let bytes = 0;
    // On the request itself, because Express replaces its prototype.
    request.push = (chunk: Buffer | null, encoding) => {
      chunks += 1;
      bytes += chunk?.length ?? 0;
      if (chunks <= MAX_CHUNKS || bytes >= chunks * MIN_CHUNK_BYTES || chunk === null) return push(chunk, encoding);
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
