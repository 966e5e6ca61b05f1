import { z } from 'zod';
import { EXAMPLE_ID } from '../../http/fields.ts';
import { clientFrameSchema, serverFrames } from './frames.ts';

const turn = {
  turn_id: z.uuid().meta({ description: "The turn; the run's id for the wait before a workflow step" }),
};
const offset = z.int().meta({ description: 'The position of `content` in the text of the turn, in UTF-16 code units' });

const start = {
  ...turn,
  text_offset: z.int().optional().meta({
    description:
      "In `joined`, for steps of the turn's own agent: the length of the turn's text before it, in UTF-16 code units",
  }),
};

const steps = [
  serverFrames.stepStart.extend(start).meta({ id: 'StepStartFrameV1', description: 'A tool call began' }),
  serverFrames.stepDone.extend(turn).meta({ id: 'StepDoneFrameV1', description: 'A tool call ended' }),
  serverFrames.subAgentStart
    .extend({
      ...start,
      step_id: z.string().meta({ description: 'The call of its parent that started it' }),
      parent_id: z
        .uuid()
        .meta({ description: "The task of its parent; the turn's id when the parent is the turn's own agent" }),
    })
    .meta({ id: 'SubAgentStartFrameV1', description: 'Work was delegated to a sub-agent' }),
  serverFrames.subAgentDone.extend(turn).meta({ id: 'SubAgentDoneFrameV1', description: 'A sub-agent has ended' }),
  serverFrames.approvalRequested.extend(start).meta({
    id: 'ApprovalRequestedFrameV1',
    description: "A tool call or workflow step waits for a person's decision",
  }),
  serverFrames.approvalDecided.extend(turn).meta({
    id: 'ApprovalDecidedFrameV1',
    description: 'A tool call or workflow step is no longer pending',
  }),
] as const;

const stepSchema = z
  .discriminatedUnion('type', steps)
  .meta({ id: 'StepFrameV1', description: 'A step of a turn began or ended' });

/** The frames that a client with the subprotocol may receive: those of the specification, and what they leave out. */
export const versionedFrameSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('joined'),
        turn_id: z.uuid().nullable().meta({ description: 'The running or next turn; null when none is open' }),
        newest_message_id: z.uuid().nullable().meta({
          description:
            'The most recently stored message; null when there is none. A client that has it, and an answer to each turn before the open one, is up to date',
        }),
        steps: z.array(stepSchema).meta({ description: 'Its steps so far, in order; some may have been sent before' }),
      })
      .meta({ id: 'JoinedFrame', description: 'All chunks before this frame were written before the connection' }),
    z
      .object({
        type: z.literal('accepted'),
        client_message_id: z.string().nullable(),
        message_id: z.uuid(),
        turn_id: z.uuid(),
      })
      .meta({ id: 'AcceptedFrame', description: 'Your message is stored, and its turn will answer it' }),
    serverFrames.chunk.extend({ ...turn, offset }).meta({
      id: 'ChunkFrameV1',
      examples: [{ type: 'chunk', turn_id: EXAMPLE_ID, offset: 0, content: 'The report ' }],
    }),
    serverFrames.streamEnd
      .extend({
        ...turn,
        provider_used: z.string().nullable(),
        agent_id: z.uuid().nullable(),
        agent_name: z.string().nullable(),
      })
      .meta({ id: 'StreamEndFrameV1', description: 'The turn has ended: completed or interrupted' }),
    serverFrames.error
      .extend({
        turn_id: z.uuid().nullable().meta({ description: 'The turn that failed; null when a frame was rejected' }),
        request: z
          .enum(['message', 'interrupt'])
          .nullable()
          .meta({ description: 'The rejected frame; null when it could not be read, or when a turn failed' }),
        client_message_id: z
          .string()
          .nullable()
          .meta({ description: 'The `client_message_id` of the rejected message' }),
      })
      .meta({ id: 'ErrorFrameV1', description: 'The turn has failed, or a frame of the client was rejected' }),
    serverFrames.pong,
    ...steps,
  ])
  .meta({ id: 'ServerFrameV1' });

/** A frame that a client with the subprotocol is sent. */
export type VersionedFrame = z.input<typeof versionedFrameSchema>;

/** The frame of a step, for such a client. */
export type VersionedStep = z.input<typeof stepSchema>;

/** The frames of a socket in the API's description, by subprotocol. */
export const framesOfSubprotocol = { client: clientFrameSchema, server: versionedFrameSchema };
