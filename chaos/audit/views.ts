import type { ShownEnd, ShownTurn, ViewJournal } from '../load/view-journal.ts';
import type { StreamRecord } from '../load/stream-chat.ts';
import { type Evidence, type Matched, nameOf, type Talk } from './evidence.ts';
import type { Verdict } from './facts.ts';

/**
 * A viewer who comes less than this before a turn may have missed its beginning. One whose api answered fewer pings
 * after its end, one a second, may have missed that: an api that stands still tells nothing, and may be killed before
 * it goes on. The end has the time at which its statement began, and a fault that locks a table holds that up for 4.5
 * seconds.
 */
const MARGIN_MS = 6_000;
const MARGIN_PONGS = 6;

type Viewer = Talk['viewers'][number];

/** Checks P5: every viewer ends up with the stored state, each event shown once. */
export function views(evidence: Evidence): Verdict {
  const { viewers, streams } = evidence.talk;
  const breaches: string[] = [];
  let shown = 0;
  for (const viewer of viewers) {
    for (const journal of viewer.journals) {
      shown += journal.shown.length;
      breaches.push(...faultsOfJournal(journal, viewer, evidence).map((fault) => `chat ${viewer.chat.id}: ${fault}`));
    }
  }
  for (const streamed of streams.flatMap((stream) => stream.streamed)) {
    shown += 1;
    breaches.push(...faultsOfStream(streamed, evidence));
  }
  const connections = viewers.reduce((sum, { journals }) => sum + journals.length, 0);
  return {
    promise: 'P5',
    claim: 'every viewer ends up with what is stored, and is told of each end and step once',
    figure: `${shown} views of turns over ${connections} socket connections and ${streams.length} chats of event streams`,
    breaches,
  };
}

function faultsOfJournal(journal: ViewJournal, viewer: Viewer, evidence: Evidence): string[] {
  const faults = journal.shown.flatMap((shown) => faultsOfShown(shown, evidence));
  const ended = journal.shown.flatMap(({ end }) => (end?.kind === 'end' ? [end.turnId] : []));
  for (const [turnId, times] of countEach(ended))
    if (times > 1) faults.push(`the end of turn ${turnId} was told ${times} times`);
  if (journal.closedAt === undefined && isUnfinished(journal.current))
    faults.push(`a viewer who stayed was shown ${JSON.stringify(journal.current.text.slice(0, 80))} and no end`);
  return [...faults, ...faultsOfPresence(journal, viewer, new Set(ended), evidence)];
}

function isUnfinished({ text, started }: ShownTurn): boolean {
  return text !== '' || started.length > 0;
}

function faultsOfShown(shown: ShownTurn, evidence: Evidence): string[] {
  const faults = [...faultsOfPairs(shown.started, shown.done)];
  if (shown.end?.kind !== 'end') return faults;
  const each = evidence.byTurn.get(shown.end.turnId);
  if (each === undefined) return [...faults, `the end of an unknown turn ${shown.end.turnId} was told`];
  return [...faults.map((fault) => `${nameOf(each)}: ${fault}`), ...faultsOfText(shown.text, shown.end, each)];
}

/** Returns each step that began was done, each once. */
function faultsOfPairs(started: readonly string[], done: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [step, times] of countEach(started)) if (times > 1) faults.push(`step ${step} began ${times} times`);
  for (const [step, times] of countEach(done)) if (times > 1) faults.push(`step ${step} was done ${times} times`);
  const endless = started.filter((step) => !done.includes(step));
  const startless = done.filter((step) => !started.includes(step));
  if (endless.length > 0) faults.push(`steps that began and were not done: ${endless.slice(0, 3).join(', ')}`);
  if (startless.length > 0) faults.push(`steps that were done and did not begin: ${startless.slice(0, 3).join(', ')}`);
  return faults;
}

function faultsOfText(text: string, end: ShownEnd & { kind: 'end' }, each: Matched): string[] {
  const { turn, planned } = each;
  const stored = turn.answers[0]?.content ?? '';
  if (end.content !== stored) return [`${nameOf(each)}: a viewer was told another answer than is stored`];
  if (end.status !== turn.status) return [`${nameOf(each)}: a viewer was told that it ${end.status}`];
  if (planned.mayDiverge || text === stored) return [];
  // What was streamed last may be lost with a crash, when nobody is asked again.
  const isCutShort = turn.status === 'interrupted' && (text.startsWith(stored) || stored.startsWith(text));
  return isCutShort
    ? []
    : [`${nameOf(each)}: the chunks say ${JSON.stringify(text)}, stored is ${JSON.stringify(stored)}`];
}

/** Checks the viewers who were connected from before a turn until after its end and all its steps. */
function faultsOfPresence(
  journal: ViewJournal,
  { chat }: Viewer,
  ended: ReadonlySet<string>,
  { matched }: Evidence,
): string[] {
  const { openedAt, pongs } = journal;
  const until = pongs.at(-MARGIN_PONGS) ?? 0;
  const attended = matched.filter(
    ({ turn }) =>
      turn.chatId === chat.id && turn.createdAt > openedAt + MARGIN_MS && (turn.endedAt ?? Infinity) < until,
  );
  const failures = journal.shown.filter(({ end }) => end?.kind === 'failure').length;
  const failed = attended.filter(({ turn }) => turn.status === 'failed').length;
  return [
    ...(failures < failed ? [`${failed} turns failed and ${failures} failures were told`] : []),
    ...attended
      .filter(({ turn }) => turn.status !== 'failed' && !ended.has(turn.id))
      .map((each) => `${nameOf(each)}: a viewer who stayed was not told its end`),
    ...attended.flatMap((each) => faultsOfSteps(journal, each)),
  ];
}

function faultsOfSteps({ shown }: ViewJournal, each: Matched): string[] {
  const { turn, calls } = each;
  const view = shown.find(({ end }) => end?.kind === 'end' && end.turnId === turn.id);
  if (view === undefined || turn.status !== 'completed') return [];
  const made = calls.map(({ id, taskId }) => (taskId === null ? `${turn.id}/${id}` : `agent/${taskId}`));
  const missing = made.filter((step) => !view.started.includes(step));
  const own = view.started.filter((step) => step.startsWith(`${turn.id}/`));
  const foreign = own.filter((step) => !made.includes(step));
  if (missing.length === 0 && foreign.length === 0) return [];
  return [
    `${nameOf(each)}: steps not shown: ${missing.join(', ') || 'none'}; shown and not made: ${foreign.join(', ') || 'none'}`,
  ];
}

function faultsOfStream({ message, text, ends, calls }: StreamRecord, evidence: Evidence): string[] {
  const each = evidence.matched.find((other) => other.message.index === message && other.turn.parentId === null);
  if (each === undefined) return [];
  const faults = calls
    .filter(({ hasEnd }) => hasEnd)
    .flatMap(({ started, done }) => faultsOfPairs(started, done).map((fault) => `${nameOf(each)}, stream: ${fault}`));
  const [end] = ends;
  if (ends.length > 1) faults.push(`${nameOf(each)}, stream: ${ends.length} ends`);
  if (end?.kind === 'failure' && each.turn.status !== 'failed')
    faults.push(`${nameOf(each)}, stream: told a failure: ${end.message}`);
  return end?.kind === 'end' ? [...faults, ...faultsOfText(text, end, each)] : faults;
}

function countEach(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
