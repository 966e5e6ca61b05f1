import type { IncomingMessage } from 'node:http';

/** Longer requests are a mistake of the test. */
const maxBytes = 64 * 1024 * 1024;

/** Returns the JSON body of a request; undefined when it is not JSON. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) return undefined;
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(parts).toString());
    return body;
  } catch {
    return undefined;
  }
}
