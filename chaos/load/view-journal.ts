/** The end of a turn as it was shown to a viewer. */
export type ShownEnd =
  | { readonly kind: 'end'; readonly turnId: string; readonly status: string; readonly content: string }
  | { readonly kind: 'failure'; readonly message: string };

/** The events that a viewer was shown of one turn over one connection. */
export interface ShownTurn {
  text: string;
  /** Steps that began and were done, in order: `{turn}/{call}`, and `agent/{task}` for a sub-agent. */
  readonly started: string[];
  readonly done: string[];
  end: ShownEnd | undefined;
}

interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Words of `error` frames that end no turn: a frame could not be taken. */
const NOT_TAKEN = /could not be stored now|too many|unanswered messages|restarts|not reachable|unavailable/i;

/** All that one connection of the chat socket was shown, cut into turns. */
export class ViewJournal {
  readonly openedAt = Date.now();
  closedAt: number | undefined;
  /** When the api answered the pings of the client, each a second after the answer to the one before. */
  readonly pongs: number[] = [];
  /** Turns that were shown to their end. */
  readonly shown: ShownTurn[] = [];
  /** Frames that told that the client's own frame could not be taken. */
  refusals = 0;
  #current = emptyTurn();

  /** The events that were shown since the last end. */
  get current(): ShownTurn {
    return this.#current;
  }

  /** Takes a frame in; true when it ended a turn. */
  take(frame: Frame): boolean {
    const { text, started, done } = this.#current;
    switch (frame.type) {
      case 'chunk':
        this.#current.text = text + String(frame['content']);
        return false;
      case 'sub_agent_step_start':
        started.push(stepOf(frame));
        return false;
      case 'sub_agent_step_done':
        done.push(stepOf(frame));
        return false;
      case 'sub_agent_start':
        started.push(`agent/${String(frame['task_id'])}`);
        return false;
      case 'sub_agent_done':
        done.push(`agent/${String(frame['task_id'])}`);
        return false;
      case 'stream_end':
        return this.#end(endOf(frame));
      case 'error':
        return this.#takeError(String(frame['message']));
      default:
        return false;
    }
  }

  #takeError(message: string): boolean {
    if (!NOT_TAKEN.test(message)) return this.#end({ kind: 'failure', message });
    this.refusals += 1;
    return false;
  }

  #end(end: ShownEnd): boolean {
    this.#current.end = end;
    this.shown.push(this.#current);
    this.#current = emptyTurn();
    return true;
  }
}

function emptyTurn(): ShownTurn {
  return { text: '', started: [], done: [], end: undefined };
}

function stepOf(frame: Frame): string {
  return `${String(frame['task_id'])}/${String(frame['step_id'])}`;
}

function endOf(frame: Frame): ShownEnd {
  const metadata = frame['metadata'] as Record<string, unknown>;
  return {
    kind: 'end',
    turnId: String(metadata['turn_id']),
    status: String(metadata['status']),
    content: String(frame['content']),
  };
}
