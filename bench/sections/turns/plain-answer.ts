/** Five chunks, a new one every 10 ms: a short answer that comes in several packets, as real ones do. */
export const PLAIN_ANSWER = { chunks: 5, everyMs: 10 };
