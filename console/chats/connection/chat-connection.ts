import { Problem } from '../../core/http/problem.ts';
import { LastingSocket, type LinkState, type Socket, type SocketToken } from '../../core/socket/lasting-socket.ts';
import {
  type AnyServerFrame,
  type ChatTurn,
  type Message,
  type ServerFrame,
  type StepFrame,
  turnsOf,
  withMessage,
  withNewest,
  withOlder,
} from './merge-messages.ts';
import { LiveText } from './live-text.ts';
import { type Step, StepTree } from './step-tree.ts';

/** A page of messages, oldest first, and how many are before it. */
export interface MessagePage {
  readonly messages: readonly Message[];
  readonly olderCount: number;
}

/** What a connection is made of. */
export interface ChatConnectionOptions {
  readonly chatId: string;
  /** Opens a socket; `isSlow` asks for one that needs no WebSocket. */
  openSocket(token: string, isSlow: boolean): Socket;
  takeToken(worn: string | undefined): Promise<SocketToken>;
  /** Reads the page of up to `limit` messages that ends right before `before`, or the newest one. */
  readMessages(page: { readonly limit: number; readonly before?: string | undefined }): Promise<MessagePage>;
  /** Runs `flush` before the next picture is drawn, or soon when nothing is drawn. */
  schedule(flush: () => void): void;
  /** Is told whenever a turn begins or ends, so that what else is shown of the chat is read again. */
  onTurnChange?(): void;
}

/** What is done in a running turn. */
export interface LiveWork {
  readonly turnId: string;
  readonly steps: readonly Step[];
  /** Whether text is what came last. */
  readonly isWriting: boolean;
  /** When its first sign came, in milliseconds since 1970. */
  readonly since: number;
}

/** The running turn, as it is shown. */
export interface LiveTurn extends LiveWork {
  readonly text: string;
}

/** What is known of a chat. A part that has not changed is the same value as before. */
export interface ChatView {
  readonly link: LinkState;
  /** Whether it is heard without a WebSocket: what happens is seen some seconds later, and sub-agents at their end. */
  readonly isSlow: boolean;
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** The turns of the messages. One that has not changed is the same value as before. */
  readonly turns: readonly ChatTurn[];
  readonly isLoaded: boolean;
  readonly olderCount: number;
  /** The running turn; also one before it whose stored answer has not been read yet. */
  readonly live: readonly LiveTurn[];
  /** The same turns without their text: the same value while nothing but text comes. */
  readonly work: readonly LiveWork[];
  /** Answers that differ from what was shown of them while they were written. */
  readonly correctedIds: ReadonlySet<string>;
}

const PAGE = 100;
/** Enough for what one turn adds, and some questions that wait. */
const FEW = 20;
const READ_AGAIN_MS = 3_000;
/** Marks of turns that are kept: of the newest ones. */
const MAX_KEPT = 100;

interface RunningTurn {
  readonly turnId: string;
  readonly text: LiveText;
  readonly steps: StepTree;
  readonly since: number;
  isWriting: boolean;
}

/**
 * One open chat: its messages, and the running turn as a socket tells it. No word is lost, doubled or blanked by a lost
 * connection: what is stored decides, and what was shown stays until something takes its place.
 */
export class ChatConnection {
  readonly #options: ChatConnectionOptions;
  readonly #socket: LastingSocket<AnyServerFrame>;
  readonly #listeners = new Set<() => void>();
  #view: ChatView = {
    link: 'connecting',
    isSlow: false,
    messages: [],
    turns: [],
    isLoaded: false,
    olderCount: 0,
    live: [],
    work: [],
    correctedIds: new Set(),
  };
  readonly #running = new Map<string, RunningTurn>();
  // The turns that have ended and may still be named by frames of a socket that joined late.
  readonly #ended = new Set<string>();
  #hasJoined = false;
  #hasJoinedBefore = false;
  // The first `joined`, until a page has been read whose messages may be all that were stored by then.
  #firstJoin: ServerFrame<'joined'> | undefined;
  // The turns that ran before the last `joined`, which did not name them: a page says whether they are still there.
  #doubtful: ReadonlySet<string> = new Set();
  #isScheduled = false;
  #isClosed = false;
  #reading: Promise<void> | undefined;
  #wanted = 0;
  #delay = 0;
  #readAgainTimer: ReturnType<typeof setTimeout> | undefined;
  #olderReading: Promise<void> | undefined;

  constructor(options: ChatConnectionOptions) {
    this.#options = options;
    this.#socket = new LastingSocket({
      open: (token, isSlow) => options.openSocket(token, isSlow),
      takeToken: async (worn) => options.takeToken(worn),
      onEpoch: () => this.#beginEpoch(),
      onFrame: (frame) => this.#take(frame),
      onState: (link) => this.#change({ link }),
      onSlow: (isSlow) => this.#change({ isSlow }),
    });
    this.#readNewest(PAGE);
  }

  /** The chat that it is about. */
  get chatId(): string {
    return this.#options.chatId;
  }

  /** What is known of the chat. */
  get view(): ChatView {
    return this.#view;
  }

  /** Calls `listener` after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends it for good. */
  close(): void {
    this.#isClosed = true;
    this.#socket.close();
    clearTimeout(this.#readAgainTimer);
    this.#listeners.clear();
  }

  /** Tries to connect at once: the network is back, or somebody looks. */
  wake(): void {
    this.#socket.wake();
  }

  /** Reads what was stored lately: something was sent, or changed. */
  refresh(): void {
    if (this.#view.isSlow) this.#socket.wake();
    this.#readNewest(FEW);
  }

  /** Takes a message that an answer of the api has told. */
  takeMessage(message: Message): void {
    this.#setMessages(withMessage(this.#view.messages, message));
  }

  /** Notes that the messages after one were left out, or put back, with it. */
  excludeAfter(messageId: string, excluded: boolean): void {
    const index = this.#view.messages.findIndex(({ id }) => id === messageId);
    if (index === -1) return;
    const changed = (message: Message, at: number) => (at > index ? { ...message, excluded } : message);
    this.#changeMessages(this.#view.messages.map(changed));
  }

  /** Reads the page before the first known message. Rejects when it could not be read. */
  async loadOlder(): Promise<void> {
    this.#olderReading ??= this.#readOlder().finally(() => (this.#olderReading = undefined));
    return this.#olderReading;
  }

  async #readOlder(): Promise<void> {
    const [first] = this.#view.messages;
    if (first === undefined || this.#view.olderCount === 0) return;
    const { messages, olderCount } = await this.#options.readMessages({ limit: PAGE, before: first.id });
    // They began anew meanwhile: the page is not the one before them.
    if (this.#view.messages[0]?.id !== first.id) return;
    this.#changeMessages(withOlder(this.#view.messages, messages), { olderCount });
  }

  // One request at a time, which is made again while it fails for a reason that passes; what is wanted meanwhile is
  // asked for after it.
  #readNewest(limit: number): void {
    this.#wanted = Math.max(this.#wanted, limit);
    if (this.#isOver || this.#reading !== undefined) return;
    clearTimeout(this.#readAgainTimer);
    this.#reading = this.#readPage().finally(() => {
      this.#reading = undefined;
      if (this.#wanted > 0 && !this.#isOver) this.#readAgainTimer = setTimeout(() => this.#readNewest(0), this.#delay);
    });
  }

  // Whether there is nothing to read for now: after a new sign-in, `joined` asks again.
  get #isOver(): boolean {
    return this.#isClosed || this.#view.link === 'gone' || this.#view.link === 'signed out';
  }

  async #readPage(): Promise<void> {
    const [limit, doubtful] = [this.#wanted, this.#doubtful];
    this.#wanted = 0;
    this.#delay = 0;
    try {
      const page = await this.#options.readMessages({ limit });
      if (this.#isClosed) return;
      this.#takeNewest(page);
      this.#dropGhosts(doubtful, page.messages);
      if (this.#firstJoin !== undefined) this.#readWhatIsLacking(this.#firstJoin);
    } catch (error) {
      // What was refused once is refused again.
      if (!(error instanceof Problem) || !error.isPassing) return;
      this.#delay = error.retryAfterSeconds === undefined ? READ_AGAIN_MS : error.retryAfterSeconds * 1_000;
      this.#wanted = Math.max(this.#wanted, limit);
    }
  }

  #takeNewest({ messages: page, olderCount }: MessagePage): void {
    const messages = withNewest(this.#view.messages, page);
    const isFromKnown = messages[0]?.id !== page[0]?.id;
    this.#setMessages(messages, { isLoaded: true, olderCount: isFromKnown ? this.#view.olderCount : olderCount });
  }

  // A turn that neither runs nor is stored has no answer to wait for.
  #dropGhosts(doubtful: ReadonlySet<string>, page: readonly Message[]): void {
    if (doubtful === this.#doubtful) this.#doubtful = new Set();
    const stored = new Set(page.map(({ turn_id: id }) => id));
    for (const turnId of doubtful) if (!stored.has(turnId)) this.#running.delete(turnId);
    if (doubtful.size > 0) this.#flush();
  }

  // A stored answer takes the place of the live one.
  #setMessages(messages: readonly Message[], more: Partial<ChatView> = {}): void {
    const answered = messages.filter(({ role, turn_id: id }) => role === 'assistant' && this.#running.has(id));
    this.#changeMessages(messages, { ...more, ...this.#end(answered.map(({ turn_id: id }) => id)) });
  }

  #beginEpoch(): void {
    this.#hasJoined = false;
    for (const { text } of this.#running.values()) text.beginEpoch();
  }

  #take(frame: AnyServerFrame): void {
    if (frame.type === 'chunk') this.#takeChunk(frame);
    else if (frame.type === 'joined') this.#join(frame);
    else if (frame.type === 'stream_end') this.#takeEnd(frame);
    else if (frame.type === 'error') this.#takeFailure(frame);
    else if (isStep(frame)) this.#takeStep(frame);
  }

  #takeChunk({ turn_id: turnId, offset, content }: ServerFrame<'chunk'>): void {
    const turn = this.#turnOf(turnId);
    if (turn === undefined) return;
    turn.isWriting = true;
    if (!turn.text.take(offset, content)) this.#socket.restart();
    else this.#scheduleFlush();
  }

  #takeStep(frame: StepFrame): void {
    // The wait before a step of a workflow belongs to no turn: the chat's record says that it waits.
    const isOfTurn = frame.type !== 'approval_requested' || frame.step_id !== frame.approval_id;
    const isWait = frame.type === 'approval_decided';
    const turn = isOfTurn && !isWait ? this.#turnOf(frame.turn_id) : this.#running.get(frame.turn_id);
    if (turn === undefined) return;
    turn.isWriting = false;
    // How much text there was at a step of the past is told when all of them are.
    if (this.#hasJoined) turn.steps.take(frame, Date.now(), turn.text.length);
    else turn.steps.take(frame, undefined);
    this.#scheduleFlush();
  }

  // What was told before is what has happened so far. A turn that ended while nobody listened is among the messages.
  #join(frame: ServerFrame<'joined'>): void {
    const { turn_id: turnId, steps } = frame;
    const turn = turnId === null ? undefined : this.#turnOf(turnId);
    turn?.steps.takePast(steps);
    if (turn !== undefined && steps.length > 0) turn.isWriting = false;
    this.#hasJoined = true;
    this.#doubtful = new Set([...this.#running.keys()].filter((id) => id !== turnId));
    if (this.#hasJoinedBefore) {
      this.#readNewest(this.#view.isLoaded ? FEW : PAGE);
      // What else is shown of the chat was read with the first one.
      this.#options.onTurnChange?.();
    } else if (this.#view.isLoaded) this.#readWhatIsLacking(frame);
    else {
      this.#firstJoin = frame;
      // It may have been refused.
      if (this.#reading === undefined) this.#readNewest(PAGE);
    }
    this.#hasJoinedBefore = true;
    this.#scheduleFlush();
  }

  // The page that was read while the socket was opened may have been too early.
  #readWhatIsLacking(joined: ServerFrame<'joined'>): void {
    this.#firstJoin = undefined;
    const { messages, turns, isSlow } = this.#view;
    const unanswered = turns.find(({ answer }) => answer === undefined);
    const isKnown = (turnId: string) => turns.some((turn) => turn.turnId === turnId);
    const hasAll =
      !isSlow &&
      this.#doubtful.size === 0 &&
      [...this.#running.keys()].every(isKnown) &&
      (messages.at(-1)?.id ?? null) === joined.newest_message_id &&
      (unanswered?.turnId ?? null) === joined.turn_id;
    if (!hasAll) this.#readNewest(FEW);
  }

  #takeEnd(frame: ServerFrame<'stream_end'>): void {
    const shown = this.#running.get(frame.turn_id)?.text.text ?? '';
    if (shown !== '' && shown !== frame.content) this.#noteCorrected(frame.message_id);
    this.#setMessages(withMessage(this.#view.messages, answerOf(this.#options.chatId, frame)));
    this.#readNewest(FEW);
    this.#options.onTurnChange?.();
  }

  // The stored answer of a failed turn says why; until it is read, the live text stays.
  #takeFailure({ turn_id: turnId }: ServerFrame<'error'>): void {
    if (turnId === null) return;
    this.#readNewest(FEW);
    this.#options.onTurnChange?.();
  }

  #noteCorrected(messageId: string): void {
    this.#change({ correctedIds: new Set([...[...this.#view.correctedIds].slice(-MAX_KEPT), messageId]) });
  }

  // Returns undefined for a turn that has ended.
  #turnOf(turnId: string): RunningTurn | undefined {
    const known = this.#running.get(turnId);
    if (known !== undefined || this.#ended.has(turnId)) return known;
    const messages = this.#view.messages.filter(({ turn_id: id }) => id === turnId);
    if (messages.some(({ role }) => role === 'assistant')) return undefined;
    const turn = { turnId, text: new LiveText(), steps: new StepTree(turnId), since: Date.now(), isWriting: false };
    this.#running.set(turnId, turn);
    // Its question may be somebody else's, and turns run one after the other: one before it has ended.
    // The first page may have it.
    const isUnknown = messages.length === 0 && this.#view.isLoaded;
    if (isUnknown || this.#running.size > 1) this.#readNewest(FEW);
    this.#options.onTurnChange?.();
    return turn;
  }

  #end(turnIds: readonly string[]): Partial<ChatView> {
    if (turnIds.length === 0) return {};
    for (const turnId of turnIds) {
      this.#running.delete(turnId);
      this.#ended.add(turnId);
    }
    for (const turnId of [...this.#ended].slice(0, -MAX_KEPT)) this.#ended.delete(turnId);
    const isRunning = ({ turnId }: LiveWork) => this.#running.has(turnId);
    return { live: this.#view.live.filter(isRunning), work: this.#view.work.filter(isRunning) };
  }

  #scheduleFlush(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.schedule(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#isClosed) return;
    const running = [...this.#running.values()];
    const live = keptOr(
      this.#view.live,
      running.map((turn) => this.#shown(turn)),
    );
    const work = keptOr(
      this.#view.work,
      running.map((turn) => this.#workOf(turn)),
    );
    if (live !== this.#view.live || work !== this.#view.work) this.#change({ live, work });
  }

  // The same value when nothing has changed.
  #shown({ turnId, text: { text }, steps: { steps }, since, isWriting }: RunningTurn): LiveTurn {
    const known = this.#view.live.find((turn) => turn.turnId === turnId);
    const isSame = known?.text === text && known.steps === steps && known.isWriting === isWriting;
    return isSame ? known : { turnId, text, steps, since, isWriting };
  }

  // The same value while nothing but text has come.
  #workOf({ turnId, steps: { steps }, since, isWriting }: RunningTurn): LiveWork {
    const known = this.#view.work.find((turn) => turn.turnId === turnId);
    const isSame = known?.steps === steps && known.isWriting === isWriting;
    return isSame ? known : { turnId, steps, since, isWriting };
  }

  #changeMessages(messages: readonly Message[], more: Partial<ChatView> = {}): void {
    this.#change({ ...more, messages, turns: turnsOf(messages, this.#view.turns) });
  }

  #change(changes: Partial<ChatView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

// The list of before when it holds the same values.
function keptOr<T>(before: readonly T[], list: readonly T[]): readonly T[] {
  return before.length === list.length && list.every((item, index) => item === before[index]) ? before : list;
}

/** What is said of steps; types of frames that are newer than this page are none of them. */
const STEP_TYPES: ReadonlySet<string> = new Set([
  'sub_agent_start',
  'sub_agent_step_start',
  'sub_agent_step_done',
  'sub_agent_done',
  'approval_requested',
  'approval_decided',
] satisfies StepFrame['type'][]);

function isStep(frame: AnyServerFrame): frame is StepFrame {
  return STEP_TYPES.has(frame.type);
}

function answerOf(chatId: string, frame: ServerFrame<'stream_end'>): Message {
  return {
    id: frame.message_id,
    chat_id: chatId,
    turn_id: frame.turn_id,
    client_message_id: null,
    role: 'assistant',
    content: frame.content,
    file_ids: [],
    metadata_: frame.metadata,
    provider_used: frame.provider_used,
    agent_id: frame.agent_id,
    agent_name: frame.agent_name,
    user_id: null,
    user_name: null,
    excluded: false,
    created_at: frame.created_at,
    updated_at: frame.created_at,
  };
}
