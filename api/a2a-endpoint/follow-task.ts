import { type A2aTask, isFinal } from '../../domain/a2a-tasks.ts';
import type { EndedTurn } from '../../db/turns/progress/chat-progress.ts';
import type { StepEvent } from '../../domain/events.ts';
import { type FollowedTurn, followTurn } from '../completions/begin-turn.ts';
import type { ApiContext } from '../context/api-context.ts';

/** What a follower of a task receives: the task when its state has changed, or the next part of its answer. */
type TaskEvent = { readonly task: A2aTask } | { readonly text: string };

interface FollowOptions {
  /** Reads the task as it is stored. */
  read(): Promise<A2aTask>;
  /** Whether to keep following a task that already waits for a person. */
  readonly whileWaiting: boolean;
  /** Ends the wait; the turn continues. */
  readonly signal: AbortSignal;
}

/**
 * Follows a task from where it is, which comes first, until it has ended or begins to wait for a person. Ends early,
 * without another word, when the follower has gone.
 */
export async function* followTask(
  context: Pick<ApiContext, 'database' | 'chats'>,
  turn: FollowedTurn,
  { read, whileWaiting, signal }: FollowOptions,
): AsyncGenerator<TaskEvent, void, undefined> {
  const left = new AbortController();
  const queue = new EventQueue();
  const followed = followTurn(context, turn, {
    onOpen: () => queue.open(),
    onText: (text) => queue.add({ text }),
    onStep: (step) => queue.add({ step }),
    signal: AbortSignal.any([signal, left.signal]),
  });
  followed.then(
    (ended) => queue.end({ ended }),
    (failure: Error) => queue.end({ failure }),
  );
  try {
    await queue.opened;
    // What has happened before is in the row, and what happens from now on is queued.
    const first = await read();
    yield { task: first };
    const isDone = isFinal(first) || (first.state === 'input_required' && !whileWaiting);
    if (!isDone) yield* changesOf(first, queue, read);
  } finally {
    left.abort();
  }
}

async function* changesOf(
  first: A2aTask,
  queue: EventQueue,
  read: () => Promise<A2aTask>,
): AsyncGenerator<TaskEvent, void, undefined> {
  let { state } = first;
  const waits = new Set(first.approvals.map(({ id }) => id));
  for (;;) {
    for (const event of await queue.next()) {
      if ('text' in event) yield event;
      else if ('step' in event) noteWait(waits, event.step);
      else {
        if ('failure' in event) throw event.failure;
        if (event.ended !== undefined) yield { task: await read() };
        return;
      }
    }
    // Compared after all that came together: who joins is shown the text so far, and then what is waited for.
    if (state === (waits.size > 0 ? 'input_required' : 'working')) continue;
    const task = await read();
    // The end comes as an event, too, after the rest of the text.
    if (isFinal(task) || task.state === state) continue;
    ({ state } = task);
    yield { task };
    if (state === 'input_required') return;
  }
}

function noteWait(waits: Set<string>, step: StepEvent): void {
  if (step.type === 'approval_requested') waits.add(step.stepId);
  if (step.type === 'approval_decided') waits.delete(step.stepId);
}

type TurnEnd = { readonly ended: EndedTurn | undefined } | { readonly failure: Error };

type QueuedEvent = { readonly text: string } | { readonly step: StepEvent } | TurnEnd;

/** The events of a turn until they are taken. */
class EventQueue {
  readonly #opened = Promise.withResolvers<void>();
  #events: QueuedEvent[] = [];
  #more = Promise.withResolvers<void>();

  /** Resolves once everything that happens is queued, or nothing will be. */
  readonly opened = this.#opened.promise;

  open(): void {
    this.#opened.resolve();
  }

  add(event: QueuedEvent): void {
    this.#events.push(event);
    this.#more.resolve();
  }

  end(how: TurnEnd): void {
    this.add(how);
    this.#opened.resolve();
  }

  /** Returns what has come since the last time, once there is something. */
  async next(): Promise<readonly QueuedEvent[]> {
    await this.#more.promise;
    this.#more = Promise.withResolvers();
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
