import { z } from 'zod';
import { approvalStatus } from '../approvals/index.ts';
import { EXAMPLE_ID, timestamp } from '../http/fields.ts';
import { callStatus, messageSchema } from '../chats/index.ts';

const ID = 'A position in the stream: send the last one as `Last-Event-ID` to resume there';
const id = z.string().meta({ description: ID });

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
      .meta({ description: 'The next part of the answer; all chunks of a turn together are its text' }),
  })
  .meta({ id: 'Chunk' });

const toolCallSchema = z
  .object({
    step_id: z.string().meta({ description: 'Identifies the call in the events of its start and its end' }),
    name: z.string().meta({ description: 'The key of the tool' }),
    label: z.string().meta({ description: 'A readable description of the call' }),
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
        step_id: z.string().meta({ description: 'The call: its `tool_call` events begin once it is approved' }),
        chat_id: z.uuid().meta({ description: 'The chat of the agent that makes the call' }),
        agent_name: z.string(),
        name: z.string().meta({ description: 'The key of the tool' }),
        label: z.string(),
        expires_at: timestamp,
      })
      .meta({ id: 'WaitingCall' })
      .optional()
      .meta({ description: 'What waits; only while it is pending' }),
  })
  .meta({ id: 'ApprovalProgress' });

const endSchema = z
  .object({
    message: messageSchema.meta({ description: 'The answer as it is stored; it counts where the chunks differ' }),
  })
  .meta({ id: 'StreamEnd' });

const failureSchema = z
  .object({ message: z.string().meta({ description: 'Why there is no further answer, in readable words' }) })
  .meta({ id: 'StreamError' });

const PLACE = `${EXAMPLE_ID}:11:2914361312`;
const START = {
  event: 'stream_start',
  id: PLACE,
  data: { chat_id: EXAMPLE_ID, turn_id: EXAMPLE_ID, message_id: EXAMPLE_ID },
};
const CHUNK = { event: 'chunk', id: PLACE, data: { content: 'The report ' } };
const TOOL_CALL = {
  event: 'tool_call',
  data: { step_id: EXAMPLE_ID, name: 'file_read', label: 'Read report.md', status: 'running' },
};
const APPROVAL = { event: 'approval', data: { approval_id: EXAMPLE_ID, task_id: EXAMPLE_ID, status: 'approved' } };
const FAILURE = { event: 'error', data: { message: 'No provider account could answer' } };

/** One event of a turn's stream: its name, its data and, where a reader can resume from it, its id. */
export const turnEventSchema = z
  .discriminatedUnion('event', [
    z
      .object({ event: z.literal('stream_start'), id, data: startSchema })
      .meta({ id: 'StreamStartEvent', description: 'The first event', examples: [START] }),
    z
      .object({ event: z.literal('chunk'), id, data: chunkSchema })
      .meta({ id: 'ChunkEvent', description: 'The next part of the answer', examples: [CHUNK] }),
    z
      .object({ event: z.literal('tool_call'), data: toolCallSchema })
      .meta({ id: 'ToolCallEvent', description: 'A tool call of the agent began or ended', examples: [TOOL_CALL] }),
    z.object({ event: z.literal('approval'), data: approvalSchema }).meta({
      id: 'ApprovalEvent',
      description: "A tool call, of the agent or a sub-agent, waits for a person's decision, or waits no longer",
      examples: [APPROVAL],
    }),
    z
      .object({ event: z.literal('stream_end'), data: endSchema })
      .meta({ id: 'StreamEndEvent', description: 'The last event of a turn that was completed or interrupted' }),
    z.object({ event: z.literal('error'), data: failureSchema }).meta({
      id: 'StreamErrorEvent',
      description: 'The last event of a turn that failed, or of a stream that ends early',
      examples: [FAILURE],
    }),
  ])
  .meta({
    id: 'TurnEvent',
    description:
      'One server-sent event. `data` is a line of JSON; lines that begin with a colon keep the connection open.',
    examples: [CHUNK, TOOL_CALL],
  });

type SseTurnEvent = z.input<typeof turnEventSchema>;

/** The name of an event. */
export type EventName = SseTurnEvent['event'];

/** The data of the events of a name. */
export type EventData<K extends EventName> = Extract<SseTurnEvent, { event: K }>['data'];
