export type { Attachment, Attachments } from './attachments.ts';
export { buildTranscript } from './build-transcript.ts';
export {
  estimateTokens,
  estimateToolTokens,
  estimateTranscriptTokens,
  type ModelImage,
  type ModelMessage,
  type ModelToolCall,
  type ReplyState,
  type ToolDefinition,
} from './model-message.ts';
export { type CallForm, type CallRecord, type StepRecord, toWireName, type TurnRecord } from './render-turn.ts';
