import { z } from 'zod';
import { describeIssue } from '../../../domain/core/issues.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { callStatus, messageMetadataSchema, turnStatus, usageSchema } from '../../chats/message-metadata.ts';
import { clientMessageIdField, contentField, fileIdsField } from '../../chats/schema.ts';
import { finalApprovalStatus } from '../../approvals/schema.ts';
import { timestamp } from '../../http/fields.ts';

/** The frames that a client may send (docs/using-the-api.md). */
export const clientFrameSchema = z
  .discriminatedUnion('type', [
    z
      .object({
        type: z.literal('message'),
        content: contentField,
        client_message_id: clientMessageIdField.nullish(),
        file_ids: fileIdsField.nullish(),
      })
      .meta({
        id: 'MessageFrame',
        examples: [{ type: 'message', content: 'Summarise the report.', client_message_id: 'a1f0-1' }],
      }),
    z
      .object({ type: z.literal('interrupt') })
      .meta({ id: 'InterruptFrame', description: 'Stops the running turn; the answer so far is kept' }),
    z.object({ type: z.literal('ping') }).meta({ id: 'PingFrame', description: 'The server replies with `pong`' }),
  ])
  .meta({ id: 'ClientFrame' });

export type ClientFrame = z.output<typeof clientFrameSchema>;

/** A frame is one flat object. */
const MAX_DEPTH = 8;

/** Reads a frame; returns a text for its sender when it is invalid. */
export function readClientFrame(data: string): ClientFrame | string {
  const parsed = parseForeignJson(data, { maxDepth: MAX_DEPTH });
  if ('issue' in parsed) return 'The frame is not valid JSON, or is too large';
  const result = clientFrameSchema.safeParse(parsed.value, { error: describeIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'invalid_union') return 'The frame must have the type "message", "interrupt" or "ping"';
  const field = issue?.path.join('.') ?? '';
  return field === '' ? 'The frame must be a JSON object' : `${field}: ${issue?.message ?? 'is invalid'}`;
}

const taskId = z.uuid().meta({
  description:
    "The task that the step belongs to; the turn's id for steps of its own agent, the run's id for the wait before a workflow step",
});
const stepId = z.string().meta({ description: 'Identifies the step in the frames of its start and its end' });

/** The frames that the server sends, one by one (specification, "WebSocket protocol"). */
export const serverFrames = {
  chunk: z
    .object({
      type: z.literal('chunk'),
      content: z
        .string()
        .meta({ description: 'The next part of the answer; the chunks of a turn together are its text' }),
    })
    .meta({ id: 'ChunkFrame', examples: [{ type: 'chunk', content: 'The report ' }] }),
  streamEnd: z
    .object({
      type: z.literal('stream_end'),
      message_id: z.uuid(),
      content: z.string().meta({ description: 'The whole text; authoritative if the chunks differ' }),
      metadata: messageMetadataSchema,
      created_at: timestamp,
    })
    .meta({ id: 'StreamEndFrame', description: 'The turn has ended: completed or interrupted' }),
  error: z
    .object({ type: z.literal('error'), message: z.string() })
    .meta({ id: 'ErrorFrame', description: 'The turn has failed, or a frame of the client was rejected' }),
  pong: z.object({ type: z.literal('pong') }).meta({ id: 'PongFrame' }),
  subAgentStart: z
    .object({
      type: z.literal('sub_agent_start'),
      task_id: z.uuid(),
      agent_name: z.string(),
      task_title: z.string(),
      sub_chat_id: z.uuid(),
    })
    .meta({ id: 'SubAgentStartFrame', description: 'Work was delegated to a sub-agent' }),
  stepStart: z
    .object({
      type: z.literal('sub_agent_step_start'),
      task_id: taskId,
      step_id: stepId,
      step_name: z.string(),
      step_label: z.string(),
    })
    .meta({ id: 'StepStartFrame', description: 'A tool call began' }),
  stepDone: z
    .object({
      type: z.literal('sub_agent_step_done'),
      task_id: taskId,
      step_id: stepId,
      status: callStatus,
    })
    .meta({ id: 'StepDoneFrame', description: 'A tool call ended' }),
  subAgentDone: z
    .object({
      type: z.literal('sub_agent_done'),
      task_id: z.uuid(),
      agent_name: z.string(),
      output: z.string(),
      usage: usageSchema,
      status: turnStatus,
    })
    .meta({ id: 'SubAgentDoneFrame', description: 'A sub-agent has ended' }),
  approvalRequested: z
    .object({
      type: z.literal('approval_requested'),
      approval_id: z.uuid(),
      task_id: taskId,
      step_id: stepId.meta({
        description: 'The call, whose step begins once it is approved; for a workflow step, the approval',
      }),
      chat_id: z.uuid().meta({ description: 'The chat of the agent that makes the call' }),
      agent_name: z.string(),
      step_name: z.string(),
      step_label: z.string(),
      expires_at: timestamp,
    })
    .meta({
      id: 'ApprovalRequestedFrame',
      description: "A tool call or workflow step waits for a person's decision",
    }),
  approvalDecided: z
    .object({
      type: z.literal('approval_decided'),
      approval_id: z.uuid(),
      task_id: taskId,
      status: finalApprovalStatus,
    })
    .meta({ id: 'ApprovalDecidedFrame', description: 'A tool call or workflow step is no longer pending' }),
};

/** The frames that a client of a chat's socket may receive. */
export const serverFrameSchema = z
  .discriminatedUnion('type', [
    serverFrames.chunk,
    serverFrames.streamEnd,
    serverFrames.error,
    serverFrames.pong,
    serverFrames.subAgentStart,
    serverFrames.stepStart,
    serverFrames.stepDone,
    serverFrames.subAgentDone,
    serverFrames.approvalRequested,
    serverFrames.approvalDecided,
  ])
  .meta({ id: 'ServerFrame' });

/** A frame that the server sends. */
export type ServerFrame = z.input<typeof serverFrameSchema>;
