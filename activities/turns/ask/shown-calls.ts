import type { TurnCall } from '../../../db/turns/calls/list-turn-calls.ts';
import type { UsedTokens } from '../../../db/turns/claim/claimed-turn.ts';
import { withDigitTexts } from '../../../domain/core/exact-json.ts';
import { cut } from '../../../domain/core/text.ts';
import { maskSecrets } from '../../../domain/secrets.ts';
import { answerLengths } from '../../../domain/turns.ts';

/** The shown length of a result, and of one argument; less when there are many calls. */
const MAX_SHOWN_CHARACTERS = 2_000;

/** How many times the length of one argument all arguments of a call may take together. */
const SHARES_OF_ARGUMENTS = 2;

/** The shown length of all calls together, in characters, beside their names. */
const MAX_SHOWN_IN_ALL = 400_000;

/**
 * Returns the calls of a turn, and the sub-agents among them, for a message's metadata: cut to what a list can show.
 * `texts` are those of the turn's stored steps.
 */
export function shownCalls(calls: readonly TurnCall[], texts: readonly string[]) {
  // Beside its arguments a call has its result and, for a delegation, the sub-agent's answer.
  const shares = (SHARES_OF_ARGUMENTS + 2) * Math.max(calls.length, 1);
  const shown = Math.min(MAX_SHOWN_CHARACTERS, Math.floor(MAX_SHOWN_IN_ALL / shares));
  const offsets = answerLengths(texts.map(({ length }) => length));
  return {
    tool_calls_detail: calls.map((call) => ({ ...presentCall(call, shown), offset: offsets[call.step] ?? 0 })),
    sub_agents: calls.flatMap((call) => presentSubAgent(call, shown)),
  };
}

function presentCall({ id, name, arguments: args, status, result, startedAt, endedAt }: TurnCall, shown: number) {
  return {
    id,
    name,
    arguments: shownArguments(args, shown),
    status,
    result: shownText(result ?? '', shown),
    started_at: startedAt?.toISOString() ?? null,
    ended_at: endedAt?.toISOString() ?? null,
  };
}

function presentSubAgent({ id, task }: TurnCall, shown: number) {
  if (task === null) return [];
  return [
    {
      task_id: task.id,
      call_id: id,
      agent_id: task.agentId,
      agent_name: task.agentName,
      task_title: task.title,
      sub_chat_id: task.subChatId,
      status: task.status,
      output: shownText(task.output ?? '', shown),
      usage: shownUsage(task.usage),
    },
  ];
}

// A value that is too long for the remaining room is shown as the beginning of its text, and not at all when there is
// none. Whoever reads a message reads plain numbers, so long ones are texts.
function shownArguments(args: TurnCall['arguments'], shown: number): Record<string, unknown> {
  let room = SHARES_OF_ARGUMENTS * shown;
  const kept: [string, unknown][] = [];
  const given = withDigitTexts(args) as TurnCall['arguments'];
  for (const [key, value] of Object.entries(maskSecrets(given))) {
    room -= key.length;
    if (room <= 0) break;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const length = Math.min(shown, room);
    kept.push([key, text.length <= length ? value : shownText(text, length)]);
    room -= Math.min(text.length, length);
  }
  return Object.fromEntries(kept);
}

function shownText(text: string, shown: number): string {
  return text.length > shown ? `${cut(text, shown)}…` : text;
}

/** Returns usage for a message's metadata. What nobody has reported is left out. */
export function shownUsage({ inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cost }: UsedTokens) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(cachedInputTokens > 0 && { cached_input_tokens: cachedInputTokens }),
    ...(reasoningTokens > 0 && { reasoning_tokens: reasoningTokens }),
    ...(cost !== null && { cost_usd: cost }),
  };
}
