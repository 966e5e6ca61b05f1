import { asList, asObject } from '../transport/json.ts';
import type { WireFormat } from '../wire-format.ts';
import { ConverseReader } from './converse-reader.ts';
import { toConverseRequest } from './converse-request.ts';
import { createAwsSigner } from './aws-signer.ts';

/**
 * Makes the Converse API as Amazon publishes it (API reference of Bedrock, "ConverseStream"): one form for the models
 * of all labs.
 */
export function createBedrock(now: () => number = Date.now): WireFormat {
  return {
    answerName: 'message',
    decode: 'aws_event_stream',
    signer: createAwsSigner(now),
    tools: { maxDescription: 10_000 },
    toHttp: toConverseRequest,
    createReader: ({ model }) => new ConverseReader(model),
    splitWhole: splitMessage,
  };
}

/** Splits an answer of "Converse", which some gateways send for a stream. */
function splitMessage(answer: unknown): readonly unknown[] | undefined {
  const { output, stopReason, usage } = asObject(answer);
  const { content } = asObject(asObject(output)['message']);
  if (!Array.isArray(content)) return undefined;
  const blocks = asList(content).flatMap((block, contentBlockIndex) => {
    const { toolUse, ...delta } = asObject(block);
    const start = { contentBlockIndex, start: { toolUse } };
    const said = toolUse === undefined ? delta : { toolUse: { input: asObject(toolUse)['input'] } };
    return [
      ...(toolUse === undefined ? [] : [{ contentBlockStart: start }]),
      { contentBlockDelta: { contentBlockIndex, delta: said } },
    ];
  });
  return [...blocks, { messageStop: { stopReason } }, { metadata: { usage } }];
}
