import { cancellationSignal } from '@temporalio/activity';
import type { Logger } from 'pino';
import {
  type ChannelRef,
  endChannelEvent,
  nextChannelEvent,
  type PendingEvent,
  retryChannelEvent,
} from '../../db/channels/events.ts';
import { findChannel, noteChannelError } from '../../db/channels/channels.ts';
import type { Database } from '../../db/core/database.ts';
import type { SecretBox } from '../../db/core/secret-box.ts';
import type { WorkOf } from '../../domain/core/due-work.ts';
import type { OrgLimits } from '../../domain/orgs.ts';
import { waitAfterFailure } from '../../domain/webhooks.ts';
import type { StepsResult } from '../../workflows/due-work/contract.ts';
import type { FileStores } from '../../files/file-stores.ts';
import type { GuardedSockets } from '../core/network/guarded-connect.ts';
import type { GuardedHttp } from '../core/network/guarded-http.ts';
import { OwnerSlots } from '../core/owner-slots.ts';
import { isPassing } from '../core/passing-error.ts';
import { ToolFailure } from '../tools/tool-failure.ts';
import { handleMessage } from './handle-message.ts';

/** The dependencies of handling what channels receive. */
export interface ChannelDeps {
  readonly database: Database;
  readonly box: SecretBox;
  readonly http: GuardedHttp;
  readonly sockets: GuardedSockets;
  /** Where the files of messages go. */
  readonly files: FileStores;
  readonly orgLimits: Pick<OrgLimits, 'messageBytes' | 'chats' | 'uploadBytes' | 'uploadBytesOfOne'>;
  readonly log: Logger;
}

/** How long one activity runs. */
const BUDGET_MS = 20_000;
const FAULT = 'The message could not be handled because of an internal error';

/**
 * Makes the activity that handles the messages of a channel, one after the other. Their texts are in the rows; the
 * history has only whether there are more, and how long to wait.
 */
export function createReceiveMessages(deps: ChannelDeps) {
  const slots = new OwnerSlots();
  return async function receiveMessages(input: WorkOf<'channel'>): Promise<StepsResult> {
    const signal = cancellationSignal();
    return slots.run(deps.database, input.orgId, async () => receiveWaiting(deps, input, signal));
  };
}

/** Handles the messages that wait, for some time. */
export async function receiveWaiting(deps: ChannelDeps, ref: ChannelRef, signal: AbortSignal): Promise<StepsResult> {
  const end = performance.now() + BUDGET_MS;
  while (!signal.aborted && performance.now() < end) {
    const event = await nextChannelEvent(deps.database, ref);
    if (event === undefined) return { hasEnded: true, waitMs: 0 };
    if (event.waitMs > 0) return { hasEnded: false, waitMs: event.waitMs };
    await handle(deps, ref, event, signal);
  }
  return { hasEnded: false, waitMs: 0 };
}

async function handle(deps: ChannelDeps, ref: ChannelRef, event: PendingEvent, signal: AbortSignal): Promise<void> {
  const { database } = deps;
  try {
    const channel = await findChannel(database, ref.channelId);
    const status = channel?.isActive === true ? await handleMessage(deps, { channel, event }, signal) : 'ignored';
    await endChannelEvent(database, ref, event, status);
    if (status !== 'failed') await noteChannelError(database, ref, null);
  } catch (error) {
    // The connection that a service refuses is none of this service's.
    if (signal.aborted || (isPassing(error) && !(error instanceof ToolFailure))) throw error;
    await noteFailure(deps, ref, event, error);
  }
}

async function noteFailure({ database }: ChannelDeps, ref: ChannelRef, event: PendingEvent, error: unknown) {
  const failure = error instanceof ToolFailure ? error : undefined;
  await noteChannelError(database, ref, failure?.message ?? FAULT);
  const failed = { tries: event.tries + 1, age: event.age, isRejected: true, retryAfter: failure?.waitMs };
  const waitMs = waitAfterFailure({ ...failed, chance: Math.random() });
  if (waitMs === undefined) await endChannelEvent(database, ref, event, 'failed');
  else await retryChannelEvent(database, ref, event, waitMs);
  // A bug is logged, too.
  if (failure === undefined) throw error;
}
