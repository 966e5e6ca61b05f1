export type {
  Answer,
  CallOptions,
  Item,
  ListPath,
  Method,
  Operation,
  PathOf,
  RequestOptions,
  Schemas,
} from './api-types.ts';
export type { Chats, SendOptions } from './chats.ts';
export * from './errors.ts';
export { Everturn } from './everturn.ts';
export type { components, paths } from './openapi.ts';
export type { ClientOptions, Credential } from './transport.ts';
export type { ReadOptions, Turn, TurnEvent } from './turn.ts';
export {
  type Digest,
  type MessageCreated,
  type RunEnded,
  type RunMissed,
  type TaskEnded,
  verifyWebhook,
  type WebhookEvent,
} from './verify-webhook.ts';
