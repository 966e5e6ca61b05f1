import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Problem } from '../http/problem.ts';
import { CLOSE, type CloseCode } from './frame-socket.ts';
import { chosenSubprotocol, isSocketHandshake, offeredSubprotocols } from './read-upgrade.ts';

const CLOSE_CODE_OF: Readonly<Record<number, CloseCode>> = {
  401: CLOSE.unauthenticated,
  404: CLOSE.gone,
  422: CLOSE.policyViolation,
  429: CLOSE.tryAgainLater,
  500: CLOSE.internalError,
  503: CLOSE.tryAgainLater,
};

/** RFC 6455, section 1.3. */
const HANDSHAKE_SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const CLOSE_OPCODE = 0x88;
/** A control frame contains 125 bytes, two of them for the code. */
const MAX_REASON_BYTES = 123;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Returns the response to a browser's rejected handshake: it is completed and closed in one go, because a page learns
 * nothing of an HTTP response, only of a close. `undefined` for other clients, which can read the HTTP response, and
 * for rejections that no user's page gets. No state is kept for it: like an HTTP response it is written, and the
 * connection is over.
 */
export function closingHandshake(
  request: IncomingMessage,
  { status, detail, retryAfterSeconds }: Problem,
): Buffer | undefined {
  const code = CLOSE_CODE_OF[status];
  if (request.headers.origin === undefined || code === undefined || !isSocketHandshake(request)) return undefined;
  const words = typeof detail === 'string' ? detail : 'Invalid request';
  const wait = retryAfterSeconds === undefined ? '' : `; try again in ${Math.max(1, Math.ceil(retryAfterSeconds))} s`;
  return Buffer.concat([Buffer.from(acceptance(request)), closeFrame(code, words + wait)]);
}

function acceptance(request: IncomingMessage): string {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${HANDSHAKE_SALT}`);
  // A browser that has offered protocols accepts no response without one of them.
  const protocol = chosenSubprotocol(offeredSubprotocols(request)) ?? '';
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${key.digest('base64')}`,
    ...(TOKEN.test(protocol) ? [`Sec-WebSocket-Protocol: ${protocol}`] : []),
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function closeFrame(code: number, words: string): Buffer {
  const frame = Buffer.alloc(4 + MAX_REASON_BYTES);
  // Writes whole characters only: a browser takes a reason that is no UTF-8 for a broken connection.
  const { written } = new TextEncoder().encodeInto(words, frame.subarray(4));
  frame.set([CLOSE_OPCODE, 2 + written]);
  frame.writeUInt16BE(code, 2);
  return frame.subarray(0, 4 + written);
}
