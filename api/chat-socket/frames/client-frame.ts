import { z } from 'zod';
import { describeIssue } from '../../../domain/core/issues.ts';
import { parseForeignJson } from '../../../domain/core/foreign-json.ts';
import { clientMessageIdField, contentField, fileIdsField } from '../../chats/index.ts';

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
  if ('issue' in parsed) return 'The frame is not valid JSON, or holds too much';
  const result = clientFrameSchema.safeParse(parsed.value, { error: describeIssue });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  if (issue?.code === 'invalid_union') return 'The frame must have the type "message", "interrupt" or "ping"';
  const field = issue?.path.join('.') ?? '';
  return field === '' ? 'The frame must be a JSON object' : `${field}: ${issue?.message ?? 'is invalid'}`;
}
