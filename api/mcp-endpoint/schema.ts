import { z } from 'zod';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { text } from '../../domain/core/text.ts';

const MAX_NAME = 256;

// The numbers of messages are kept as they were written, but the protocol's library takes plain ones for ids.
const idSchema = z.union([text(MAX_NAME), z.preprocess(withPlainNumbers, z.number())]);

/**
 * A message of the protocol, as far as this service looks at it: the rest is for the protocol's library. Batches, which
 * the protocol had in March 2025 only, are refused.
 */
export const rpcMessageSchema = z
  .looseObject(
    {
      jsonrpc: z.literal('2.0'),
      id: idSchema.nullish().meta({ description: 'What the answer is recognised by; none for a notification' }),
      method: text(MAX_NAME).optional(),
      params: z.record(z.string(), z.unknown()).optional(),
    },
    'must be one message: an object',
  )
  .meta({
    id: 'McpMessage',
    description: 'A request, a notification or a response of JSON-RPC 2.0',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
  });

export type RpcMessage = z.output<typeof rpcMessageSchema>;

/** The answer to a message. */
export const rpcAnswerSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullish(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).meta({ id: 'McpError' }).optional(),
  })
  .meta({ id: 'McpAnswer', description: 'A response of JSON-RPC 2.0, or in a stream also a notification' });
