import { z } from 'zod';
import { getChat } from '../../../db/chats/index.ts';
import { type EndedTurn, findEndedTurn } from '../../../db/turns/index.ts';
import { isStart } from '../../../domain/events/index.ts';
import { failureText, readerOf, type Wait, waitOf } from '../../chats/index.ts';
import { followTurn } from '../../completions/index.ts';
import type { DoorCall } from '../door-tool.ts';

/** Clients give up after a minute unless told otherwise. */
const MAX_WAIT_SECONDS = 50;
/** Of what has just been written, in a note of progress. */
const TAIL = 200;
const MS = 1_000;

/** How long a call waits for an answer. */
export const waitSeconds = z
  .int()
  .min(0)
  .max(MAX_WAIT_SECONDS)
  .default(MAX_WAIT_SECONDS)
  .meta({ description: 'How long to wait for the answer; the agent goes on in any case' });

/** A turn, as tools answer with it. */
export const turnSchema = z.object({
  chat_id: z.uuid(),
  turn_id: z.uuid(),
  status: z.enum(['running', 'completed', 'interrupted', 'failed']),
  answer: z.string().nullable().meta({ description: 'What the agent has answered; null while it works' }),
  waiting_for: z.enum(['approval', 'place', 'provider', 'worker']).nullable().meta({
    description:
      'What a running turn waits for: the decision of a person, a place among those that run, a provider, or a worker while none runs; null while it works',
  }),
});

interface TurnRef {
  readonly chatId: string;
  readonly turnId: string;
}

/** Waits for the end of a turn, and tells meanwhile what happens; undefined when there was none in time. */
export async function waitForTurn(
  { context, caller: { orgId }, signal, progress }: DoorCall,
  turn: TurnRef,
  seconds: number,
): Promise<EndedTurn | undefined> {
  if (seconds === 0) return findEndedTurn(context.database, orgId, turn.turnId);
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), seconds * MS);
  let tail = '';
  try {
    return await followTurn(
      context,
      { orgId, ...turn },
      {
        onText: (text) => {
          tail = `${tail}${text}`.slice(-TAIL);
          progress(tail);
        },
        onStep: (step) => {
          if (isStart(step)) progress('label' in step ? step.label : step.title);
        },
        signal: AbortSignal.any([signal, patience.signal]),
      },
    );
  } finally {
    clearTimeout(timer);
  }
}

const WAITS = {
  approval: 'The agent waits for a person to decide about what it wants to do, in the approvals of Everturn.',
  place: 'The agent waits for its turn among those that run.',
  provider: 'The agent waits for a provider of models.',
  worker: 'The agent waits for a worker of Everturn: none is running.',
} as const satisfies Readonly<Record<Wait, string>>;

/** Returns the answer of a tool about a turn, which has ended if given as such. */
export async function presentTurn(
  { context, caller }: DoorCall,
  { chatId, turnId }: TurnRef,
  ended: EndedTurn | undefined,
) {
  const place = { chat_id: chatId, turn_id: turnId };
  if (ended === undefined) {
    const waitingFor = waitOf(context, await getChat(context.database, readerOf(caller), chatId));
    const state = waitingFor === null ? 'The agent is still working.' : WAITS[waitingFor];
    const text = `${state} get_turn has its answer later, with chat_id ${chatId} and turn_id ${turnId}.`;
    return { text, data: { ...place, status: 'running' as const, answer: null, waiting_for: waitingFor } };
  }
  const { status, answer } = ended;
  const data = { ...place, status, answer: answer.content, waiting_for: null };
  if (status === 'failed') return { text: failureText(answer), data, isError: true };
  return { text: status === 'interrupted' ? `${answer.content}\n\n(This was interrupted.)` : answer.content, data };
}
