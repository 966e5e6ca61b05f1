import type { components } from '../../openapi.ts';
import type { CallData } from '../../traces/index.ts';
import type { Message } from '../connection/merge-messages.ts';
import type { AgentStep, CallStep, Step } from '../connection/step-tree.ts';

type ToolCall = components['schemas']['ToolCall'];
type SubAgent = components['schemas']['SubAgent'];

/** The steps of a stored answer, and what is stored with it of its calls by their id; what is long is cut there. */
export interface StoredSteps {
  readonly steps: readonly Step[];
  readonly records: ReadonlyMap<string, CallData>;
}

const SPAWN = 'agent_spawn';
const MAX_SUBJECT = 100;

/** Returns the steps that an answer has stored, in their order. */
export function storedSteps({ metadata_: metadata }: Message): StoredSteps {
  const calls = metadata.tool_calls_detail ?? [];
  const agents = [...(metadata.sub_agents ?? [])];
  const steps = calls.map((call) => {
    const at = call.name === SPAWN ? agents.findIndex(({ call_id: id = call.id }) => id === call.id) : -1;
    const [agent] = at < 0 ? [] : agents.splice(at, 1);
    return agent === undefined ? callOf(call) : agentOf(agent, call);
  });
  const records = calls.map(
    ({ id, arguments: given, result }) => [id, { arguments: given, edited_arguments: null, result }] as const,
  );
  return { steps: [...steps, ...agents.map((agent) => agentOf(agent, undefined))], records: new Map(records) };
}

function callOf({
  id,
  name,
  arguments: given,
  status,
  started_at: start,
  ended_at: end,
  offset = 0,
}: ToolCall): CallStep {
  const label = [name, subjectOf(given)].filter(Boolean).join(' · ');
  return { kind: 'call', id, name, label, status, ...times(start, end), offset, approval: undefined };
}

/** Returns the first argument that is a word or a number, which tells calls of one tool apart; '' for none. */
function subjectOf(given: ToolCall['arguments']): string {
  const first = Object.values(given).find((value) => typeof value === 'string' || typeof value === 'number');
  return String(first ?? '').slice(0, MAX_SUBJECT);
}

function agentOf(agent: SubAgent, call: ToolCall | undefined): AgentStep {
  return {
    kind: 'agent',
    id: agent.task_id,
    agentName: agent.agent_name,
    title: agent.task_title,
    subChatId: agent.sub_chat_id,
    status: agent.status,
    output: agent.output,
    tokens: agent.usage.input_tokens + agent.usage.output_tokens,
    ...times(call?.started_at ?? null, call?.ended_at ?? null),
    offset: call?.offset ?? 0,
    steps: [],
  };
}

function times(start: string | null, end: string | null) {
  return {
    startedAt: start === null ? undefined : Date.parse(start),
    endedAt: end === null ? undefined : Date.parse(end),
  };
}
