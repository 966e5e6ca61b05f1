import { z } from 'zod';
import { approvalStatus } from '../approvals/schema.ts';
import { EXAMPLE_ID, timestamp } from '../http/fields.ts';
import { callStatus } from '../chats/message-metadata.ts';
import { messageSchema } from '../chats/schema.ts';

const startSchema = z
  .object({
    chat_id: z.uuid(),
    turn_id: z.uuid(),
    message_id: z.uuid().meta({ description: "The user's message that the turn answers; it is stored" }),
  })
  .meta({ id: 'StreamStart' });

const chunkSchema = z
  .object({
    content: z
      .string()
      .meta({ description: 'The next part of the answer; the chunks of a turn together are its text' }),
  })
  .meta({ id: 'Chunk' });

const toolCallSchema = z
  .object({
    step_id: z.string().meta({ description: 'Identifies the call in the events of its start and its end' }),
    name: z.string().meta({ description: 'The key of the tool' }),
    label: z.string().meta({ description: 'A human-readable description of the call' }),
    status: z.union([z.literal('running'), callStatus]),
  })
  .meta({ id: 'ToolCallProgress' });

const approvalSchema = z
  .object({
    approval_id: z.uuid(),
    task_id: z.uuid().meta({ description: 'The turn of the agent that makes the call' }),
    status: approvalStatus,
    call: z
      .object({
        step_id: z.string().meta({ description: 'The call, whose `tool_call` events begin once it is approved' }),
        chat_id: z.uuid().meta({ description: 'The chat of the agent that makes the call' }),
        agent_name: z.string(),
        name: z.string().meta({ description: 'The key of the tool' }),
        label: z.string(),
        expires_at: timestamp,
      })
      .meta({ id: 'WaitingCall' })
      .optional()
      .meta({ description: 'The waiting call; only while it is pending' }),
  })
  .meta({ id: 'ApprovalProgress' });

const endSchema = z
  .object({
    message: messageSchema.meta({ description: 'The stored answer; authoritative if the chunks differ' }),
  })
  .meta({ id: 'StreamEnd' });

const failureSchema = z
  .object({ message: z.string().meta({ description: 'Why the answer ends, human-readable' }) })
  .meta({ id: 'StreamError' });

const TOOL_CALL = { step_id: EXAMPLE_ID, name: 'file_read', label: 'Read report.md', status: 'running' };

/** The data of the events of a turn's stream, by the names of the events. */
export const TURN_EVENTS = {
  stream_start: startSchema,
  chunk: chunkSchema,
  tool_call: toolCallSchema,
  approval: approvalSchema,
  stream_end: endSchema,
  error: failureSchema,
} as const;

/** The data of one event of a turn's stream. */
export const turnEventSchema = z.union(Object.values(TURN_EVENTS)).meta({
  id: 'TurnEvent',
  description: `The data of one server-sent event, a line of JSON; lines that begin with a colon keep the connection open. The name of the event, \`event\`, says which:

- \`stream_start\`: \`StreamStart\`, the first event
- \`chunk\`: \`Chunk\`, the next part of the answer
- \`tool_call\`: \`ToolCallProgress\`, a tool call of the agent began or ended
- \`approval\`: \`ApprovalProgress\`, a tool call, of the agent or a sub-agent, waits for a person's decision, or no longer does
- \`stream_end\`: \`StreamEnd\`, the last event of a turn that was completed or interrupted
- \`error\`: \`StreamError\`, the last event of a turn that failed, or of a stream that ends early

An \`id\` is a position in the stream: send the last one as \`Last-Event-ID\` to resume there.`,
  examples: [{ content: 'The report ' }, TOOL_CALL],
});

/** The name of an event. */
export type EventName = keyof typeof TURN_EVENTS;

/** The data of the events of a name. */
export type EventData<K extends EventName> = z.input<(typeof TURN_EVENTS)[K]>;
