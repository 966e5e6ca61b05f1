export type { Attachment, Attachments } from './attachments.ts';
export { buildTranscript } from './build-transcript.ts';
export { estimateTokens, estimateToolTokens, estimateTranscriptTokens } from './estimate-transcript-tokens.ts';
export type { ModelImage, ModelMessage, ModelToolCall, ReplyState, ToolDefinition } from './model-message.ts';
export type { CallForm } from './render-step.ts';
export type { CallRecord, StepRecord, TurnRecord } from './turn-record.ts';
export { toWireName } from './wire-name.ts';
