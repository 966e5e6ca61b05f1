import type { MissedRun } from './destinations.ts';

/** The end of a turn: its assistant message. */
export interface MessageSubject {
  readonly kind: 'message';
  readonly id: string;
  readonly chatId: string;
  readonly chatTitle: string;
  readonly projectId: string | null;
  readonly turnId: string;
  readonly agentId: string | null;
  readonly content: string;
  readonly status: string | null;
  readonly error: string | null;
  /** Why the model stopped; null where it has not answered. */
  readonly finishReason: string | null;
  readonly usage: unknown;
  readonly createdAt: Date;
  /** The chat whose workspace the turn has worked in. */
  readonly workspaceChatId: string;
  /** The task of an attempt; null for a turn of a chat. */
  readonly task: { readonly id: string; readonly title: string } | null;
}

/** The end of a run of a workflow, or of a schedule. */
export interface RunSubject {
  readonly kind: 'run';
  readonly id: string;
  readonly workflowId: string | null;
  readonly workflowName: string | null;
  readonly scheduleId: string | null;
  readonly scheduleName: string | null;
  readonly chatId: string | null;
  readonly status: string;
  readonly triggeredBy: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly usage: unknown;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  readonly createdAt: Date;
}

/** That a schedule has not run. */
export interface MissedSubject {
  readonly kind: 'missed';
  /** The schedule. */
  readonly id: string;
  readonly name: string;
  /** The workflow that it times; null for a schedule of its own. */
  readonly workflowId: string | null;
  readonly missed: MissedRun;
}

/** What a delivery reports. */
export type DeliverySubject = MessageSubject | RunSubject | MissedSubject;

/** The characters of a message or an output that are sent; the api has the rest. */
export const MAX_SENT_CHARACTERS = 100_000;

/**
 * Returns the body of a delivery, with at most so many characters of its text. It is the same for all attempts, as long
 * as nobody renames the chat or workflow.
 */
export function payloadOf(
  deliveryId: string,
  subject: DeliverySubject,
  maxCharacters: number = MAX_SENT_CHARACTERS,
): string {
  return JSON.stringify(bodyOf(deliveryId, subject, maxCharacters));
}

function bodyOf(deliveryId: string, subject: DeliverySubject, maxCharacters: number) {
  if (subject.kind === 'message') return ofMessage(deliveryId, subject, maxCharacters);
  return subject.kind === 'run' ? ofRun(deliveryId, subject, maxCharacters) : ofMissed(deliveryId, subject);
}

function ofMessage(id: string, message: MessageSubject, maxCharacters: number) {
  const { chatId, chatTitle: title, projectId: project_id, agentId: agent_id, createdAt: created_at } = message;
  const { turnId: turn_id, status, error, finishReason: finish_reason, usage } = message;
  const [content, content_truncated] = cut(message.content, maxCharacters);
  const shown = { id: message.id, chat_id: chatId, turn_id, role: 'assistant', agent_id, status, content };
  return {
    id,
    type: message.task === null ? 'message.created' : 'task.ended',
    created_at,
    ...(message.task !== null && { task: message.task }),
    chat: { id: chatId, title, project_id },
    message: { ...shown, content_truncated, error, finish_reason, usage, created_at },
  };
}

function ofRun(id: string, run: RunSubject, maxCharacters: number) {
  const {
    workflowId: workflow_id,
    scheduleId: schedule_id,
    chatId: chat_id,
    triggeredBy: triggered_by,
    status,
    error,
    usage,
  } = run;
  const [output, output_truncated] = run.output === null ? [null, false] : cut(run.output, maxCharacters);
  const times = { started_at: run.startedAt, completed_at: run.completedAt, created_at: run.createdAt };
  const shown = { id: run.id, workflow_id, schedule_id, chat_id, status, triggered_by, output, output_truncated };
  return {
    id,
    type: 'run.ended',
    created_at: run.completedAt,
    workflow: workflow_id === null ? null : { id: workflow_id, name: run.workflowName },
    schedule: schedule_id === null ? null : { id: schedule_id, name: run.scheduleName },
    run: { ...shown, error, usage, ...times },
  };
}

function ofMissed(id: string, { id: scheduleId, name, workflowId, missed }: MissedSubject) {
  const workflow = workflowId === null ? null : { id: workflowId, name };
  const schedule = workflowId === null ? { id: scheduleId, name } : null;
  return { id, type: 'run.missed', created_at: missed.at, workflow, schedule, missed };
}

// The database counts characters, and a string here may have two units for one.
function cut(text: string, maxCharacters: number): readonly [text: string, isTruncated: boolean] {
  if (text.length <= maxCharacters) return [text, false];
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return [text, false];
  return [characters.slice(0, maxCharacters).join(''), true];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after the first attempt, the second and so on; docs/webhooks.md shows them. */
export const WAITS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
  12 * HOUR,
];

/** How long a delivery may take from when it was queued; what has waited behind others longer has one attempt. */
const GIVE_UP_AFTER_MS = 72 * HOUR;

/** The attempts at what the receiver rejects: it may mend that, but what waits behind it is not to wait for days. */
const MAX_TRIES_OF_REJECTED = 6;

/** The part of a wait that chance adds at most, so that receivers which come back are not asked by all at once. */
const JITTER = 0.1;

/** A delivery of which an attempt has failed. */
interface FailedAttempt {
  /** The attempts so far, this one included. */
  readonly tries: number;
  /** For how long it has been queued, in milliseconds. */
  readonly age: number;
  /** Whether what was sent is wrong for the receiver, rather than the address, the secret or the time. */
  readonly isRejected: boolean;
  /** How long the receiver asks to wait, in milliseconds; undefined when it does not. */
  readonly retryAfter: number | undefined;
  /** From 0 to 1. */
  readonly chance: number;
}

/** Returns how long to wait before the next attempt, in milliseconds; undefined when there is none. */
export function waitAfterFailure(failed: FailedAttempt): number | undefined {
  const { tries, age, isRejected, retryAfter = 0, chance } = failed;
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined || age >= GIVE_UP_AFTER_MS) return undefined;
  if (isRejected && tries >= MAX_TRIES_OF_REJECTED) return undefined;
  return Math.max(Math.round(wait * (1 + JITTER * chance)), retryAfter);
}

/**
 * What is reported: the end of a turn, of an attempt at a task, or of a workflow's run, or that a schedule has not run.
 */
export const DELIVERY_EVENTS = ['message.created', 'task.ended', 'run.ended', 'run.missed'] as const;

/** An attempt at a delivery that was made. */
export interface LoggedAttempt {
  /** When it ended. */
  at: string;
  /** The status of the answer; null when none came, or the service has none. */
  status: number | null;
  /** The error; null when it was accepted completely. */
  error: string | null;
}

/** What a delivery reports. */
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

/** Whether something is to be delivered, was delivered, or was abandoned. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

/** The state of a delivery. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
