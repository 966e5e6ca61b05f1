import { EventStreamCodec, type MessageHeaders } from '@smithy/eventstream-codec';
import type { WireReply } from './wire-server.ts';

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text),
);

const text = (value: string) => ({ type: 'string', value }) as const;

/** Returns a frame as the AWS SDK's own codec writes it. */
export function awsFrame(headers: MessageHeaders, payload: unknown): Buffer {
  return Buffer.from(codec.encode({ headers, body: Buffer.from(JSON.stringify(payload)) }));
}

/** Returns the frame of an event of a conversation. */
export function awsEvent(type: string, payload: unknown): Buffer {
  const headers = { ':message-type': text('event'), ':event-type': text(type) };
  return awsFrame({ ...headers, ':content-type': text('application/json') }, payload);
}

/** Returns the frame of a failure in the middle of a stream. */
export function awsException(type: string, message: string): Buffer {
  const headers = { ':message-type': text('exception'), ':exception-type': text(type) };
  return awsFrame({ ...headers, ':content-type': text('application/json') }, { message });
}

/** Answers with these bytes as a stream of frames. */
export function awsStream(...chunks: readonly Buffer[]): WireReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    for (const chunk of chunks) response.write(chunk);
    response.end();
  };
}

/** Answers with a stream of frames in two writes, the second when the first has left. */
export function awsStreamCutAt(bytes: Buffer, cut: number): WireReply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))));
  };
}
