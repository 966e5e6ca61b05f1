import type { AskableMember } from '../../db/approvals/find-members.ts';
import type { ReceivingChannel } from '../../db/channels/channels.ts';
import type { PendingEvent } from '../../db/channels/events.ts';
import type { ChannelKind } from '../../domain/channels.ts';
import type { Service } from '../tools/context.ts';
import { inMail } from './mail.ts';
import type { ChannelDeps } from './receive-messages.ts';
import { inSlack } from './slack.ts';

/** A message of an active channel, and the service to answer it with. */
export interface Incoming {
  readonly channel: ReceivingChannel;
  readonly event: PendingEvent;
  readonly service: Service;
  readonly signal: AbortSignal;
}

/** A file that somebody has sent with a message. */
export interface SentFile {
  readonly name: string;
  /** Its size; null when the service does not say. */
  readonly bytes: number | null;
  /** Returns its content; throws `ToolFailure` for one that is larger than `maxBytes`. */
  read(maxBytes: number): Promise<Buffer>;
}

/** A message that somebody has sent. */
export interface SentMessage {
  /** '' for nothing, or what cannot be read. */
  readonly text: string;
  readonly files: readonly SentFile[];
  /** The files beyond those that are listed. */
  readonly unlisted: number;
}

/**
 * The conversation that a message belongs to, as its service has it. All that calls the service throws `ToolFailure`
 * when that fails.
 */
export interface Conversation {
  /** The account of the service, as `accountOf` names it; null when it is unknown. */
  readonly account: string | null;
  /** Returns what the sender has written, and the files with it. */
  read(): Promise<SentMessage>;
  /** Returns the account of the sender; undefined for a stranger. */
  findSender(): Promise<AskableMember | undefined>;
  /** Posts the message that becomes the answer, and returns its id; null where an answer is a message of its own. */
  beginReply(): Promise<string | null>;
  /** Posts plain text, replacing a message that was posted before where there is one. */
  post(text: string, reply?: string | null): Promise<void>;
  /** Shows plain text to the sender alone. */
  show(text: string): Promise<void>;
}

const CONVERSATIONS: Readonly<Record<ChannelKind, (deps: ChannelDeps, incoming: Incoming) => Conversation>> = {
  email: inMail,
  slack: inSlack,
};

/** Returns the conversation that a message belongs to. */
export function conversationOf(deps: ChannelDeps, incoming: Incoming): Conversation {
  return CONVERSATIONS[incoming.channel.kind](deps, incoming);
}
