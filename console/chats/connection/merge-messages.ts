import type { components } from '../../openapi.ts';

type Schemas = components['schemas'];

/** A stored message. */
export type Message = Schemas['Message'];

/** The outcome of a tool call. */
export type CallStatus = Schemas['CallStatus'];

/** The outcome of a turn, or of a sub-agent's work. */
export type TurnStatus = Schemas['TurnStatus'];

/** A frame that the server sends over a socket with the subprotocol `everturn.v1`. */
export type AnyServerFrame = Schemas['ServerFrameV1'];

/** The frame of a type. */
export type ServerFrame<T extends AnyServerFrame['type']> = Extract<AnyServerFrame, { type: T }>;

/** A frame about a step of a turn. */
export type StepFrame = ServerFrame<
  | 'sub_agent_start'
  | 'sub_agent_step_start'
  | 'sub_agent_step_done'
  | 'sub_agent_done'
  | 'approval_requested'
  | 'approval_decided'
>;

/** A question and its answer. A turn that runs or waits has no answer yet, and a reported result has no question. */
export interface ChatTurn {
  readonly turnId: string;
  readonly question: Message | undefined;
  readonly answer: Message | undefined;
}

/**
 * Returns the known messages with the newest page of the chat, oldest first. Messages that were told while the page was
 * on its way stay. When the page does not reach what is known, because much was missed, it begins anew.
 */
export function withNewest(known: readonly Message[], page: readonly Message[]): readonly Message[] {
  const [first] = page;
  if (first === undefined) return known;
  const start = known.findIndex(({ id }) => id === first.id);
  const inPage = new Set(page.map(({ id }) => id));
  const overlap = start === -1 ? known.findIndex(({ id }) => inPage.has(id)) : start;
  const older = start === -1 ? [] : known.slice(0, start);
  const newer = overlap === -1 ? known.filter((message) => isAfter(message, page)) : known.slice(overlap);
  return [...older, ...page, ...newer.filter(({ id }) => !inPage.has(id))];
}

/** Returns the known messages with the page right before them. */
export function withOlder(known: readonly Message[], page: readonly Message[]): readonly Message[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...page.filter(({ id }) => !ids.has(id)), ...known];
}

/** Returns the known messages with one that was stored just now, or has changed. */
export function withMessage(known: readonly Message[], message: Message): readonly Message[] {
  const index = known.findIndex(({ id }) => id === message.id);
  return index === -1 ? [...known, message] : known.with(index, message);
}

/**
 * Returns the turns of messages, in the order in which they were asked for. Stored messages are in the order of their
 * storing: questions that were asked while an answer was being written stand before it. Of the turns that were `known`
 * before, those that have not changed are the same values.
 */
export function turnsOf(messages: readonly Message[], known: readonly ChatTurn[] = []): readonly ChatTurn[] {
  const turns = new Map<string, ChatTurn>();
  for (const message of messages) {
    const turn = turns.get(message.turn_id) ?? { turnId: message.turn_id, question: undefined, answer: undefined };
    turns.set(message.turn_id, message.role === 'user' ? { ...turn, question: message } : { ...turn, answer: message });
  }
  const before = new Map(known.map((turn) => [turn.turnId, turn]));
  return Array.from(turns.values(), (turn) => {
    const same = before.get(turn.turnId);
    return same !== undefined && same.question === turn.question && same.answer === turn.answer ? same : turn;
  });
}

function isAfter({ created_at: time }: Message, page: readonly Message[]): boolean {
  return Date.parse(time) > Date.parse(page.at(-1)?.created_at ?? '');
}
