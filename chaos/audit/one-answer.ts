import { type Evidence, type Matched, nameOf } from './evidence.ts';
import type { TurnFact } from './record/facts.ts';
import type { Verdict } from './verdict.ts';

const FINAL = new Set(['completed', 'interrupted', 'failed']);

/** Checks P2: every message ends in exactly one assistant message with the expected text. */
export function oneAnswer(evidence: Evidence): Verdict {
  const { facts, matched, unplanned } = evidence;
  const breaches = [
    ...[...facts.turns, ...facts.runTurns].flatMap(faultOfRecord),
    ...matched.flatMap((each) => faultOfAnswer(each, evidence)),
    ...unplanned.map(({ id, chatId }) => `turn ${id} of chat ${chatId} answers a message that nobody sent`),
  ];
  const answered = facts.turns.filter(({ answers }) => answers.length === 1).length;
  return {
    promise: 'P2',
    claim: 'a message ends in exactly one assistant message',
    figure: `${answered} of ${facts.turns.length} turns, those of sub-agents too`,
    breaches,
  };
}

function faultOfRecord({ id, status, questions, answers }: TurnFact): string[] {
  const faults = [];
  if (questions.length !== 1) faults.push(`turn ${id} has ${questions.length} user messages`);
  if (answers.length !== 1) faults.push(`turn ${id} (${status}) has ${answers.length} assistant messages`);
  const said = answers[0]?.metadata['status'];
  if (answers.length === 1 && (said !== status || !FINAL.has(status)))
    faults.push(`turn ${id} is ${status} and its message says ${String(said)}`);
  return faults;
}

function faultOfAnswer(each: Matched, evidence: Evidence): string[] {
  const { turn, planned } = each;
  const content = turn.answers[0]?.content ?? '';
  const { text } = planned;
  switch (turn.status) {
    case 'completed':
      if (planned.mustFail) return [`${nameOf(each)} completed though every provider failed`];
      return text === undefined || content === text
        ? []
        : [`${nameOf(each)} says ${quote(content)}, not ${quote(text)}`];
    case 'failed':
      return planned.mustFail ? [] : [`${nameOf(each)} failed: ${quote(String(turn.answers[0]?.metadata['error']))}`];
    case 'interrupted':
      return faultOfInterrupted(each, content, evidence);
    default:
      return [];
  }
}

function faultOfInterrupted(each: Matched, content: string, { byTurn }: Evidence): string[] {
  const { turn, planned } = each;
  const above = turn.ancestorIds.flatMap((id) => byTurn.get(id)?.turn ?? []);
  const isWanted = [turn, ...above].some(({ wasAskedToStop }) => wasAskedToStop);
  // A sub-agent also stops when the turn above it has failed.
  const isDragged = above.some(({ status }) => status !== 'completed');
  const faults = isWanted || isDragged ? [] : [`${nameOf(each)} was interrupted, and nobody asked for that`];
  if (planned.mayDiverge || planned.text === undefined || planned.text.startsWith(content)) return faults;
  return [
    ...faults,
    `${nameOf(each)} was interrupted and says ${quote(content)}, which ${quote(planned.text)} does not begin with`,
  ];
}

function quote(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}...` : text);
}
