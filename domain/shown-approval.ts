import type { ApprovalStatus, CallDetail } from './approvals.ts';
import { plainLine } from './core/text.ts';
import { showHidden } from './core/visible.ts';
import { maskSecrets } from './secrets.ts';

/** The stored question to a person. */
interface AskedApproval {
  readonly details: readonly CallDetail[];
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly editedArguments: Readonly<Record<string, unknown>> | null;
  readonly question: { readonly text: string; readonly options: readonly string[] | null } | null;
}

/** For whom an agent asks, and what its conversation has spent so far. */
export interface Background {
  readonly userName: string;
  /** Of the calls whose price was known, in US dollars. */
  readonly costUsd: number;
  readonly tokens: number;
  /** Whether the price of a call was unknown. */
  readonly hasUnpriced: boolean;
}

/**
 * Returns all that a person has to see to decide, as lines of plain text that are read in this order: the question, or
 * what a call does and its arguments. Likely secrets are masked, and characters that cannot be seen are written out.
 */
export function shownLines({ details, arguments: args, editedArguments, question }: AskedApproval): CallDetail[] {
  const lines =
    question === null
      ? [...details, ...valuesOf(editedArguments ?? args)]
      : [
          { label: 'Question', value: maskedText(question) },
          ...(question.options === null ? [] : [{ label: 'Options', value: question.options.join('\n') }]),
        ];
  return lines.map(({ label, value }) => ({ label: showHidden(label), value: showHidden(value) }));
}

/** Summarizes what is asked: the text of a question, or what a call or a step would do. */
export function subjectOf({ label, question }: Pick<AskedApproval, 'question'> & { readonly label: string }): string {
  return question === null ? label : maskedText(question);
}

function maskedText({ text }: { readonly text: string }): string {
  return String(maskSecrets({ value: text })['value']);
}

function valuesOf(args: Readonly<Record<string, unknown>>): CallDetail[] {
  return Object.entries(maskSecrets(args)).map(([label, value]) => ({
    label,
    value: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  }));
}

interface Vote {
  readonly userName: string | null;
  readonly approve: boolean;
}

interface Asking {
  readonly agentName: string;
  readonly expiresAt: Date;
  readonly escalatedAt: Date | null;
  readonly quorum: number;
  readonly votes: readonly Vote[];
  readonly question: { readonly defaultAnswer: string } | null;
}

/** Returns who asks for what, as one line: the subject of a mail, or the title of a message. */
export function leadOf({
  agentName,
  question,
  escalatedAt,
}: Pick<Asking, 'agentName' | 'question' | 'escalatedAt'>): string {
  const agent = plainLine(agentName, 100);
  const asks = question === null ? `${agent} asks for your approval` : `${agent} asks you a question`;
  return escalatedAt === null ? asks : `Escalated: ${asks}`;
}

/** Returns whether it was escalated, who has approved it of several, and until when it can be decided. */
export function standingOf({ expiresAt, escalatedAt, ...voting }: Omit<Asking, 'agentName' | 'question'>): string {
  return [
    ...(escalatedAt === null ? [] : [`It was escalated on ${timeInUtc(escalatedAt)}: nobody had decided.`]),
    ...(voting.quorum === 1 ? [] : [`${votesText(voting)}.`]),
    `You can decide until ${timeInUtc(expiresAt)}.`,
  ].join(' ');
}

type Voting = Pick<Asking, 'quorum' | 'votes'>;

/** Returns how many have approved of those who have to, and who: "1 of 2 approved (Ada)". */
function votesText({ quorum, votes }: Voting): string {
  const names = votersOf(votes);
  return `${names.length} of ${quorum} approved${names.length === 0 ? '' : ` (${list.format(names)})`}`;
}

const list = new Intl.ListFormat('en');

function votersOf(votes: readonly Vote[]): readonly string[] {
  return votes.flatMap(({ approve, userName }) => (approve ? [showHidden(userName ?? 'somebody')] : []));
}

/** Describes the state of a question, and what happens when nobody answers it. */
export function termsOf({ question, ...asking }: Omit<Asking, 'agentName'>): string {
  const until = standingOf(asking);
  if (question === null) return until;
  return `${until} Without an answer, the agent continues with: ${plainLine(question.defaultAnswer, 200)}`;
}

/** Returns the address of an approval in the inbox of the console. */
export function inboxLink(
  publicUrl: string,
  { orgId, approvalId }: { readonly orgId: string; readonly approvalId: string },
): string {
  return `${publicUrl}/o/${orgId}/inbox?id=${approvalId}`;
}

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Returns a time as people read it whose time zone is not known: "28 Feb 2027, 09:00 UTC". */
function timeInUtc(time: Date): string {
  return `${moment.format(time)} UTC`;
}

const OUTCOMES = {
  pending: 'It is still waiting',
  approved: 'It was approved',
  answered: 'It was answered',
  denied: 'It was denied',
  expired: 'Nobody decided in time',
  cancelled: 'It is no longer needed: its work was stopped or has ended',
  outdated: 'It was approved, but has changed since: you are asked again',
} as const satisfies Readonly<Record<ApprovalStatus, string>>;

/** Returns what became of an approval, by whom and when, as a sentence. */
export function outcomeText({
  status,
  deciderName,
  decidedAt,
  ...voting
}: Voting & {
  readonly status: ApprovalStatus;
  readonly deciderName: string | null;
  readonly decidedAt: Date | null;
}): string {
  if (status === 'pending' && voting.quorum > 1) return `${OUTCOMES[status]}: ${votesText(voting)}.`;
  const names = status === 'approved' ? votersOf(voting.votes) : deciderName === null ? [] : [showHidden(deciderName)];
  const by = names.length === 0 ? '' : ` by ${list.format(names)}`;
  const at = decidedAt === null ? '' : ` on ${timeInUtc(decidedAt)}`;
  return `${OUTCOMES[status]}${by}${at}.`;
}

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Returns for whom an agent asks, and what its conversation has spent so far, as such lines. */
export function backgroundLines({ userName, ...spent }: Background): CallDetail[] {
  return [
    { label: 'Works for', value: showHidden(userName) },
    { label: 'Cost so far', value: spentText(spent) },
  ];
}

function spentText({ costUsd, tokens, hasUnpriced }: Omit<Background, 'userName'>): string {
  const used = `${tokens.toLocaleString('en')} tokens`;
  if (!hasUnpriced) return `${dollars.format(costUsd)} (${used})`;
  return costUsd === 0
    ? `${used}, of unknown price`
    : `at least ${dollars.format(costUsd)} (${used}, some of unknown price)`;
}
