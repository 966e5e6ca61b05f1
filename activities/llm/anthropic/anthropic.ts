import { asList, asObject } from '../transport/json.ts';
import type { WireFormat } from '../wire-format.ts';
import { MessageReader } from './message-reader.ts';
import { toMessageRequest } from './message-request.ts';

/** The Messages API as Anthropic publishes it (API reference, "Create a Message", streamed). */
export const anthropic: WireFormat = {
  answerName: 'message',
  tools: { maxDescription: 10_000 },
  toHttp: toMessageRequest,
  createReader: ({ model }) => new MessageReader(model),
  splitWhole: (answer) => {
    const { type, content, stop_reason: reason, usage } = asObject(answer);
    if (type !== 'message') return undefined;
    const blocks = asList(content).map((block, index) => ({
      type: 'content_block_start',
      index,
      content_block: block,
    }));
    const message = { type: 'message_delta', delta: { stop_reason: reason }, usage };
    return [...blocks, message, { type: 'message_stop' }];
  },
};
