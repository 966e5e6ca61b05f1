import { duplexPair } from 'node:stream';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { readClientFrame } from '../../../api/chat-socket/frames/frames.ts';
import { FrameSocket } from '../../../api/sockets/frame-socket.ts';
import { inChunks, nearly } from '../inputs.ts';
import { type FuzzTarget, target } from '../target.ts';

const MAX_FRAME_BYTES = 64 * 1024;
const server = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false });

/** A frame as a client sends it, under a mask of zeros. */
function frameOf(opcode: number, payload: string): Buffer {
  const body = Buffer.from(payload);
  const length = body.length < 126 ? [0x80 | body.length] : [0xfe, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), body]);
}

const SESSION = Buffer.concat([
  frameOf(1, '{"type":"ping"}'),
  frameOf(1, JSON.stringify({ type: 'message', content: 'x'.repeat(200) })),
  frameOf(9, 'are you there'),
  frameOf(2, 'bytes'),
  frameOf(8, '\u0003\u00e8bye'),
]);

/** Whatever a client sends, the connection goes on or is closed; frames are read, or refused in words. */
async function serves(chunks: readonly Buffer[]): Promise<void> {
  const [near, far] = duplexPair();
  far.on('error', () => undefined).resume();
  const request = Object.assign(new IncomingMessage(new Socket()), {
    method: 'GET',
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  const feed = async () => {
    for (const chunk of chunks) {
      if (!far.destroyed) far.write(chunk);
      await turnOfTheLoop();
    }
  };
  // Thrown here it would reach nobody.
  let harm: unknown;
  const opened = Promise.withResolvers<void>();
  server.handleUpgrade(request, near, Buffer.alloc(0), (socket) => {
    const frames: FrameSocket = new FrameSocket(socket, {
      onFrame: (data) => {
        try {
          expect(data.length).toBeLessThanOrEqual(MAX_FRAME_BYTES);
          const frame = readClientFrame(data.toString());
          if (typeof frame === 'string') frames.refuse(frame);
        } catch (error) {
          harm ??= error;
        }
      },
      rejectionOf: (message) => ({ type: 'error', message }),
    });
    opened.resolve(frames.serve(async () => undefined));
    void feed().finally(() => socket.terminate());
  });
  await opened.promise;
  if (harm !== undefined) throw new Error('a frame does harm', { cause: harm });
}

export const socketFrames: readonly FuzzTarget[] = [
  target('bytes of a socket', 100, inChunks(nearly(SESSION)), serves),
];
