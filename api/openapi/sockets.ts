import type { z } from 'zod';
import type { Components, Json } from './components.ts';
import { toJsonSchema } from './json-schema.ts';

/** A WebSocket in the document: OpenAPI has no vocabulary for one. */
export interface Socket {
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description: string;
  /** The frames that clients send, and those that they receive: one JSON text a frame. */
  readonly frames: { readonly client: z.ZodType; readonly server: z.ZodType };
  /** The meaning of each code that the server closes a connection with. */
  readonly closeCodes: Readonly<Record<number, string>>;
}

/** Returns a WebSocket's part of the document, the value of its path under `x-websockets`. */
export function socketOf({ summary, description, frames, closeCodes }: Socket, schemas: Components): Json {
  return {
    summary,
    description,
    'client-frame': toJsonSchema(frames.client, 'input', schemas),
    'server-frame': toJsonSchema(frames.server, 'output', schemas),
    'close-codes': closeCodes,
  };
}
