import type { components } from '../openapi.ts';
import type { ChatView, LiveWork } from './connection/chat-connection.ts';
import type { Step } from './connection/step-tree.ts';

export type Chat = components['schemas']['Chat'];

/** What happens in a chat right now, in one word and its numbers. */
export type Phase =
  | { readonly kind: 'idle' | 'connecting' | 'reconnecting' | 'asking' | 'writing' | 'approval' | 'place' | 'worker' }
  /** `count` steps are at work; of those that are to stop, perhaps none. */
  | { readonly kind: 'tools' | 'agents' | 'stopping'; readonly count: number }
  /** `until` is an ISO 8601 time, if one is known. */
  | { readonly kind: 'provider'; readonly until: string | null };

/** What a phase follows from. */
interface PhaseInput {
  readonly view: Pick<ChatView, 'link' | 'work'>;
  /** As it was read last; undefined until then. */
  readonly chat: Pick<Chat, 'status' | 'waiting_for' | 'waiting_until'> | undefined;
  readonly isStopping: boolean;
}

/** Returns whether a turn of the chat runs or waits, as far as is known. */
export function isAtWork({ view, chat }: Pick<PhaseInput, 'view' | 'chat'>): boolean {
  return view.work.length > 0 || (chat !== undefined && chat.status !== 'idle');
}

/** Returns what happens in a chat right now. */
export function phaseOf({ view, chat, isStopping }: PhaseInput): Phase {
  if (view.link === 'connecting') return { kind: 'connecting' };
  if (view.link === 'waiting') return { kind: 'reconnecting' };
  if (!isAtWork({ view, chat })) return { kind: 'idle' };
  const turn = view.work.at(-1);
  if (isStopping) return { kind: 'stopping', count: turn?.steps.filter(isRunning).length ?? 0 };
  return waitOf(chat) ?? (turn === undefined ? { kind: 'asking' } : workOf(turn));
}

function waitOf(chat: PhaseInput['chat']): Phase | undefined {
  if (chat?.status !== 'waiting') return undefined;
  if (chat.waiting_for === 'provider') return { kind: 'provider', until: chat.waiting_until };
  return chat.waiting_for === null ? undefined : { kind: chat.waiting_for };
}

function workOf({ steps, isWriting }: LiveWork): Phase {
  const running = steps.filter(isRunning);
  if (running.some(isWaiting)) return { kind: 'approval' };
  const agents = running.filter(({ kind }) => kind === 'agent').length;
  if (agents > 0) return { kind: 'agents', count: agents };
  if (running.length > 0) return { kind: 'tools', count: running.length };
  return { kind: isWriting ? 'writing' : 'asking' };
}

function isRunning({ status }: Step): boolean {
  return status === 'running';
}

function isWaiting(step: Step): boolean {
  return step.kind === 'call' ? step.approval?.status === 'pending' : step.steps.some(isWaiting);
}
