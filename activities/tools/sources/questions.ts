import { z } from 'zod';
import { type AskableMember, findMembers } from '../../../db/approvals/find-members.ts';
import type { TenantDatabase } from '../../../db/core/database.ts';
import type { ClaimedTurn } from '../../../db/turns/claim/claimed-turn.ts';
import { cut, nameText, text } from '../../../domain/core/text.ts';
import { permits, type Policy, policyAllows } from '../../../domain/permissions/policy.ts';
import { ASK_PERSON, type Asked, type NamedPerson, readNamedPerson } from '../../../domain/questions.ts';
import { shortSchema } from '../../../domain/tool-offer/split-offer.ts';
import { parseArguments, toJsonSchema } from '../arguments/parse-arguments.ts';
import type { BuiltinDefinition } from '../definition-files/builtin-definition.ts';
import type { CallError, CallPlan, ToolArguments } from '../tool.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';

const MAX_OPTIONS = 20;

const askParameters = z.strictObject({
  question: text(4_000)
    .trim()
    .min(1)
    .describe('The question with what is needed to answer it: the person may not see this conversation.'),
  options: z
    .array(nameText())
    .min(2)
    .max(MAX_OPTIONS)
    .optional()
    .describe('The answers to choose from. Without them the person writes one.'),
  who: nameText(320)
    .default('owner')
    .describe(
      'Who is asked: `owner` for the user you work for, the e-mail address or id of a member, or `role:admin`, ' +
        '`role:member` or `role:owner` for anyone with that role.',
    ),
  deadline: z.iso.datetime({ offset: true }).describe('Until when you wait, such as 2026-05-01T09:00:00Z.'),
  default: text(4_000)
    .trim()
    .min(1)
    .describe('The answer that counts when nobody answers in time; one of the options if there are any.'),
});

/** Asks a person, whose answer is the result of the call. */
export const askPerson = {
  key: ASK_PERSON,
  name: 'Ask a person',
  description:
    'Asks a person a question and waits for the answer, for weeks if need be; you go on with it where you are. ' +
    'After the deadline you get your default instead.',
  category: 'platform',
  onlyInChats: true,
  parameters: askParameters,
  effect: 'read',
  inline: true,
} as const satisfies BuiltinDefinition;

const parameters = shortSchema(toJsonSchema(askParameters));

/** The dependencies of planning questions. */
export interface QuestionDeps {
  readonly database: TenantDatabase;
  /** The longest time that a person is waited for, in milliseconds. */
  readonly approvalWaitMs: number;
}

/** Gives the tool that asks people to agents that list it. */
export function questions(deps: QuestionDeps): ToolSource {
  return ({ orgId, agent, turn }) =>
    turn !== undefined && agent.tools.includes(ASK_PERSON) ? [askTool(deps, orgId, turn)] : [];
}

function askTool(deps: QuestionDeps, orgId: string, turn: ClaimedTurn): SourcedTool {
  return {
    key: ASK_PERSON,
    description: askPerson.description,
    parameters,
    inline: askPerson.inline,
    plan: async (calls) => planQuestions(deps, { orgId, turn }, calls),
  };
}

type AskArguments = z.output<typeof askParameters>;

/** A question whose arguments fit, and whom it names. */
interface NamedQuestion {
  readonly args: AskArguments;
  readonly named: NamedPerson;
}

/** Plans the questions of one reply. The members that they name are looked up in one statement. */
async function planQuestions(
  { database, approvalWaitMs }: QuestionDeps,
  { orgId, turn }: { readonly orgId: string; readonly turn: ClaimedTurn },
  calls: readonly ToolArguments[],
): Promise<readonly (CallPlan | CallError)[]> {
  const read = calls.map((args) => readQuestion(args, approvalWaitMs));
  const names = read.flatMap((each) => ('named' in each && each.named.kind === 'member' ? [each.named.name] : []));
  const members = names.length === 0 ? [] : await findMembers(database, orgId, names);
  return read.map((each) => ('error' in each ? each : planQuestion(each, turn, members)));
}

function readQuestion(given: ToolArguments, approvalWaitMs: number): NamedQuestion | CallError {
  const checked = parseArguments(ASK_PERSON, askParameters, given);
  if ('error' in checked) return checked;
  const { value: args } = checked;
  const named = readNamedPerson(args.who);
  if (named === undefined) return rejected(`There is no role "${args.who}" that can be asked`);
  const issue = deadlineIssue(args.deadline, approvalWaitMs) ?? optionsIssue(args);
  return issue === undefined ? { args, named } : rejected(issue);
}

function deadlineIssue(deadline: string, approvalWaitMs: number): string | undefined {
  const [at, now] = [Date.parse(deadline), Date.now()];
  if (at <= now) return `The deadline is in the past: it is ${new Date(now).toISOString()} now`;
  const latest = new Date(now + approvalWaitMs);
  return at > latest.getTime() ? `The deadline must not be after ${latest.toISOString()}` : undefined;
}

function optionsIssue({ options, default: answer }: AskArguments): string | undefined {
  if (options === undefined) return undefined;
  if (new Set(options).size < options.length) return 'The options must differ';
  return options.includes(answer) ? undefined : 'The default must be one of the options';
}

const MAX_LABEL = 80;

function planQuestion(
  { args, named }: NamedQuestion,
  turn: ClaimedTurn,
  members: readonly AskableMember[],
): CallPlan | CallError {
  const asked = askedOf(named, turn, members);
  if ('error' in asked) return asked;
  const deadline = new Date(args.deadline);
  const line = args.question.replaceAll(/\s+/g, ' ');
  const label = line.length > MAX_LABEL ? `${cut(line, MAX_LABEL)}…` : line;
  return { effect: 'read', label: `Question: ${label}`, question: { ...asked, defaultAnswer: args.default, deadline } };
}

function askedOf(named: NamedPerson, turn: ClaimedTurn, members: readonly AskableMember[]): Asked | CallError {
  if (named.kind === 'role') return { userId: null, role: named.role };
  if (named.kind === 'owner') return person(turn.userId, turn.policy, { turn, name: 'owner' });
  const { name } = named;
  const member = members.find(({ id, email }) => id === name || email === name);
  if (member === undefined) return rejected(`There is no member "${name}": give the address or id of one`);
  // Members choose the address of their profile themselves, that of somebody else too.
  if (member.id !== name && !member.isKnownByEmail)
    return rejected(`Nobody has invited the member "${name}" by this address: give their id`);
  return person(member.id, member.policy, { turn, name });
}

function person(
  userId: string,
  policy: Policy | null,
  { turn, name }: { readonly turn: ClaimedTurn; readonly name: string },
): Asked | CallError {
  const mayAnswer =
    policy !== null && policyAllows(policy, 'approvals.manage') && permits(policy, 'agentIds', turn.agent.id);
  return mayAnswer ? { userId, role: null } : rejected(`"${name}" has no right to answer questions of this agent`);
}

function rejected(message: string): CallError {
  return { error: { kind: 'invalid_input', message } };
}
