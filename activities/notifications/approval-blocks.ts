import type { EditableApproval } from '../../db/approvals/approvals.ts';
import type { CallDetail } from '../../domain/approvals.ts';
import { cut, plainLine } from '../../domain/core/text.ts';
import { showHidden } from '../../domain/core/visible.ts';
import { buttonId, type WantedDecision } from '../../domain/decision-buttons.ts';
import {
  type Background,
  backgroundLines,
  leadOf,
  outcomeText,
  shownLines,
  subjectOf,
  termsOf,
} from '../../domain/shown-approval.ts';
import { escapeMrkdwn } from '../channels/slack.ts';

type Block = Readonly<Record<string, unknown>>;

/** A message of Slack: its blocks, and what notifications show of it. */
interface BlockMessage {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The question, its recipient, and how many approvals it takes. */
interface AskedOf {
  readonly approval: EditableApproval;
  readonly background: Background;
  /** The address of the approval in the console. */
  readonly link: string;
  /** The token of its buttons. */
  readonly token: string;
  /** Whether it is decided in the console only. */
  readonly isSignInNeeded: boolean;
  /** Whether they have approved it, of several who have to. */
  readonly hasApproved: boolean;
}

// Slack takes 50 blocks of 3,000 characters, 150 of them in a header, and 25 buttons of 75 characters in a block.
const MAX_SECTION = 2_900;
const MAX_SECTIONS = 40;
const MAX_CHARACTERS = 12_000;
const MAX_BUTTON = 75;
const MAX_ANSWER = 500;

const INCOMPLETE = 'It is too long to be shown here. Open it in the console to see all of it, and to decide.';

/**
 * Returns the message that asks somebody to decide. Where not all can be shown that they decide about, and once they
 * have approved it, it can be denied only.
 */
export function askingMessage(asked: AskedOf): BlockMessage {
  const { approval, background, link, token, isSignInNeeded, hasApproved } = asked;
  const { sections, isComplete } = sectionsOf(shownLines(approval));
  const facts = backgroundLines(background).map(({ label, value }) => `${label}: ${plainLine(value, 200)}`);
  const wanted = isSignInNeeded ? [] : decisionsOf(approval, isComplete && !hasApproved);
  const elements = [...wanted.map((each) => decisionButton(token, each)), consoleButton(approval, link)];
  return {
    text: escapeMrkdwn(summaryOf(approval)),
    blocks: [
      ...headOf(approval),
      ...sections,
      ...(isComplete ? [] : [section(escapeMrkdwn(INCOMPLETE))]),
      section(escapeMrkdwn([...facts, termsOf(approval)].join('\n'))),
      { type: 'actions', elements },
    ],
  };
}

/** Returns a reminder of the message that has asked somebody, which can be decided by that message only. */
export function reminderText(approval: EditableApproval): string {
  const summary = summaryOf({ ...approval, escalatedAt: null });
  return escapeMrkdwn(`Reminder: ${summary}\n${termsOf(approval)}`);
}

/** Returns the message that replaces it once it was decided: without arguments or buttons. */
export function decidedMessage(approval: EditableApproval): BlockMessage {
  const outcome = outcomeText(approval);
  const { answer } = approval;
  const shown = answer !== null && answer.length > MAX_ANSWER ? `${cut(answer, MAX_ANSWER)}…` : answer;
  const answered = shown === null ? [] : sectionsOf([{ label: 'Answer', value: showHidden(shown) }]).sections;
  return {
    text: escapeMrkdwn(`${summaryOf(approval)}. ${outcome}`),
    blocks: [...headOf(approval), section(escapeMrkdwn(outcome)), ...answered],
  };
}

/** Returns the message that replaces it for a recipient who may not see any more what it was about. */
export function endedMessage(): BlockMessage {
  const text = 'This is no longer waiting for you.';
  return { text, blocks: [section(text)] };
}

function summaryOf(approval: EditableApproval): string {
  return `${leadOf(approval)}: ${plainLine(subjectOf(approval), 200)}`;
}

function headOf(approval: EditableApproval): readonly Block[] {
  const text = { type: 'plain_text', text: leadOf(approval), emoji: false };
  return [{ type: 'header', text }, section(escapeMrkdwn(plainLine(subjectOf(approval), 300) || '-'))];
}

// Verbatim, so that no address becomes a link and no name mentions anybody.
function section(text: string): Block {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

/** Renders lines as far as they fit. */
function sectionsOf(lines: readonly CallDetail[]): {
  readonly sections: readonly Block[];
  readonly isComplete: boolean;
} {
  const sections: Block[] = [];
  let left = MAX_CHARACTERS;
  for (const { label, value } of lines) {
    let title = `*${escapeMrkdwn(plainLine(label, 100))}*\n`;
    for (let rest = value; title !== '';) {
      const text = fitting(rest, Math.min(MAX_SECTION - title.length, left));
      if (sections.length === MAX_SECTIONS || (text === '' && rest !== '')) return { sections, isComplete: false };
      const shown = escapedCode(text);
      sections.push(section(`${title}\`\`\`\n${shown === '' ? ' ' : shown}\n\`\`\``));
      left -= shown.length;
      rest = rest.slice(text.length);
      title = rest === '' ? '' : '…\n';
    }
  }
  return { sections, isComplete: true };
}

/** Returns the beginning of a text that is as long as it may be once it is escaped. */
function fitting(text: string, most: number): string {
  const fence = 8;
  let begin = cut(text, Math.max(0, most - fence));
  while (begin !== '' && escapedCode(begin).length > most - fence) begin = cut(begin, Math.floor(begin.length / 2));
  return begin;
}

// A zero-width space breaks up what would end the code block.
function escapedCode(text: string): string {
  return escapeMrkdwn(text).replaceAll('``', '`\u200B`');
}

interface DecisionButton {
  readonly wanted: WantedDecision;
  readonly label: string;
  readonly style?: 'primary' | 'danger';
}

function decisionsOf({ question }: EditableApproval, isComplete: boolean): readonly DecisionButton[] {
  const wanted = { kind: 'deny' } as const;
  if (question !== null) return [...optionsOf(question, isComplete), { wanted, label: 'Decline to answer' }];
  const deny = { wanted, label: 'Deny', style: 'danger' } as const;
  return isComplete ? [{ wanted: { kind: 'approve' }, label: 'Approve', style: 'primary' }, deny] : [deny];
}

// When a button cannot show an option completely, all options are chosen in the console.
function optionsOf(
  { options }: NonNullable<EditableApproval['question']>,
  isComplete: boolean,
): readonly DecisionButton[] {
  const labels = (options ?? []).map(showHidden);
  if (!isComplete || labels.some((label) => label.length > MAX_BUTTON || label.trim() === '')) return [];
  return labels.map((label, option) => ({ wanted: { kind: 'answer', option }, label }));
}

function decisionButton(value: string, { wanted, label, style }: DecisionButton): Block {
  const text = { type: 'plain_text', text: label, emoji: false };
  return { type: 'button', action_id: buttonId(wanted), value, text, ...(style && { style }) };
}

function consoleButton({ question }: EditableApproval, url: string): Block {
  const label = question === null ? 'Open in the console' : 'Answer in the console';
  return { type: 'button', action_id: 'open', url, text: { type: 'plain_text', text: label, emoji: false } };
}
