import type { z } from 'zod';
import { type Components, type Json, toJsonSchema } from './json-schema.ts';

/** The frames that clients send, and those that they receive: one JSON text a frame. */
interface Frames {
  readonly client: z.ZodType;
  readonly server: z.ZodType;
}

/** A WebSocket in the document: OpenAPI has no vocabulary for one. */
export interface Socket {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly frames: Frames;
  /** The frames of clients that ask for a subprotocol, by its name. */
  readonly subprotocols: Readonly<Record<string, Frames>>;
  /** The meaning of each code that the server closes a connection with. */
  readonly closeCodes: Readonly<Record<number, string>>;
}

/** Returns a WebSocket's part of the document, the value of its path under `x-websockets`. */
export function socketOf(socket: Socket, schemas: Components): Json {
  const { summary, description, frames, subprotocols, closeCodes } = socket;
  const versions = Object.entries(subprotocols).map(([name, ofName]) => [name, framesOf(ofName, schemas)] as const);
  return {
    summary,
    description,
    ...framesOf(frames, schemas),
    subprotocols: Object.fromEntries(versions),
    'close-codes': closeCodes,
  };
}

function framesOf({ client, server }: Frames, schemas: Components): Json {
  return {
    'client-frame': toJsonSchema(client, 'input', schemas),
    'server-frame': toJsonSchema(server, 'output', schemas),
  };
}
