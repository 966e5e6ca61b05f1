import { z } from 'zod';

/** The decision that a button of a message about an approval stands for. */
export type WantedDecision =
  | { readonly kind: 'approve' | 'deny' }
  /** The option of a question, by its number from 0. */
  | { readonly kind: 'answer'; readonly option: number };

/** A button of a message of Slack that somebody has used. */
export interface UsedButton {
  /** Names the approval and the member who is asked, encrypted by the server. */
  readonly token: string;
  readonly wanted: WantedDecision;
  /** The person's id at Slack. */
  readonly person: string;
  readonly team: string | null;
  /** The message that the button belongs to, and where it is. */
  readonly conversation: string;
  readonly message: string;
  readonly thread: string | null;
  /** The same each time that it is delivered. */
  readonly id: string;
}

const ANSWER = 'answer-';
/** The longest value of a button that Slack takes. */
const MAX_TOKEN = 2_000;

/** Returns the id by which Slack reports that a button was used. */
export function buttonId(wanted: WantedDecision): string {
  return wanted.kind === 'answer' ? `${ANSWER}${wanted.option}` : wanted.kind;
}

function wantedBy(id: string): WantedDecision {
  return id === 'approve' || id === 'deny' ? { kind: id } : { kind: 'answer', option: Number(id.slice(ANSWER.length)) };
}

const id = z
  .string()
  .regex(/^[\w.:-]+$/)
  .max(100);

const interactionSchema = z.looseObject({
  type: z.literal('block_actions'),
  team: z.looseObject({ id }).nullish(),
  user: z.looseObject({ id, team_id: id.nullish() }),
  container: z.looseObject({ type: z.literal('message'), channel_id: id, message_ts: id, thread_ts: id.nullish() }),
  actions: z
    .array(
      z.looseObject({
        action_id: z.string().regex(/^(?:approve|deny|answer-\d{1,2})$/),
        value: z
          .string()
          .regex(/^[\w-]+$/)
          .max(MAX_TOKEN),
        action_ts: id,
      }),
    )
    .length(1),
});

/** Reads what Slack reports of an interaction; undefined when it is no button by which something is decided. */
export function readSlackInteraction(payload: unknown): UsedButton | undefined {
  const { data } = interactionSchema.safeParse(payload);
  const [action] = data?.actions ?? [];
  if (data === undefined || action === undefined) return undefined;
  const { user, team, container } = data;
  return {
    token: action.value,
    wanted: wantedBy(action.action_id),
    person: user.id,
    team: team?.id ?? user.team_id ?? null,
    conversation: container.channel_id,
    message: container.message_ts,
    thread: container.thread_ts ?? null,
    id: `${user.id} ${action.action_ts}`,
  };
}
