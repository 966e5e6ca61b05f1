import { z } from 'zod';
import { withPlainNumbers } from '../../domain/core/exact-json.ts';
import { text } from '../../domain/core/text.ts';

const MAX_NAME = 256;

// The numbers of requests are kept as they were written, but the protocol's library takes plain ones for ids.
const idSchema = z.union([text(MAX_NAME), z.preprocess(withPlainNumbers, z.int())]);

/** A request of the protocol, as far as this service reads it: its parameters are for the protocol's library. */
export const a2aRequestSchema = z
  .looseObject(
    {
      jsonrpc: z.literal('2.0'),
      id: idSchema.nullish().meta({ description: 'What the answer is recognised by' }),
      method: text(MAX_NAME)
        .min(1)
        .meta({ description: 'Such as `SendMessage`; `message/send` and the like mean version 0.3 of the protocol' }),
      params: z.record(z.string(), z.unknown()).optional(),
    },
    'must be one request: an object',
  )
  .meta({
    id: 'A2aRequest',
    description: 'A request of JSON-RPC 2.0',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
      },
    ],
  });

export type A2aRequest = z.output<typeof a2aRequestSchema>;

/** The response to a request. */
export const a2aResponseSchema = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: idSchema.nullish(),
    result: z.unknown().optional(),
    error: z.looseObject({ code: z.int(), message: z.string() }).meta({ id: 'A2aError' }).optional(),
  })
  .meta({ id: 'A2aResponse', description: 'A response of JSON-RPC 2.0' });

/** The agent card, in the form of the protocol version that the client asks for. */
export const agentCardSchema = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.string().meta({ description: 'The time of the last change of the agent' }),
    supportedInterfaces: z
      .array(
        z
          .looseObject({ url: z.string(), protocolBinding: z.string(), protocolVersion: z.string() })
          .meta({ id: 'A2aInterface' }),
      )
      .meta({ description: 'Where it is reached, by which versions of the protocol' }),
    capabilities: z.record(z.string(), z.unknown()),
    skills: z.array(
      z.looseObject({ id: z.string(), name: z.string(), description: z.string() }).meta({ id: 'A2aSkill' }),
    ),
  })
  .meta({ id: 'A2aAgentCard', description: 'An agent card of the Agent2Agent protocol' });
