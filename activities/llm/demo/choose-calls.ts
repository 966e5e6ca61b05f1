import type { ToolDefinition } from '../../../domain/transcripts/index.ts';
import { AGENT_SPAWN, MAX_CALLS_PER_REPLY } from '../../../domain/tool-calls/index.ts';
import { asList, asObject, parseJson } from '../transport/json.ts';

/** A call that the demo model makes. */
export interface DemoCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Phrase {
  readonly tool: string;
  /** Matched against a whole line; the matched named groups become the arguments. */
  readonly pattern: RegExp;
  readonly more?: DemoCall['arguments'];
}

const PHRASES: readonly Phrase[] = [
  { tool: AGENT_SPAWN, pattern: /^delegate to (?<agent>[^:]+):(?<task>.+)$/i },
  { tool: 'file_write', pattern: /^write (?:the )?file (?<path>[^\s:]+)\s*:\s*(?<content>\S.*)$/i },
  { tool: 'file_read', pattern: /^read (?:the )?file (?<path>\S+?)[.!]?$/i },
  { tool: 'file_list', pattern: /^list (?:the |my |all )?files[.!?]?$/i },
  { tool: 'math_evaluate', pattern: /^calculate:? (?<expression>\S.*?)[?!]?$/i },
  { tool: 'math_evaluate', pattern: /^what is (?<expression>[\d(][\d\s.+*/^()-]*)\?*$/i },
  { tool: 'memory_manage', pattern: /^what do you remember about (?<content>[^?]+)\?*$/i, more: { action: 'search' } },
  { tool: 'memory_manage', pattern: /^what do you remember\?*$/i, more: { action: 'list' } },
  { tool: 'memory_manage', pattern: /^remember:?(?: that)? (?<content>\S.*)$/i, more: { action: 'add' } },
  { tool: 'time_now', pattern: /^what time is it(?: in (?<zone>[A-Z]\w*(?:\/\w+)*))?[?!.]*$/i },
];

/** Returns the calls that a message asks for, one for each line; tools that are not offered are ignored. */
export function chooseCalls(message: string, tools: readonly ToolDefinition[]): DemoCall[] {
  const lines = message.split('\n').map((line) => line.trim());
  const calls = lines.map((line) => callByName(line, tools) ?? callByPhrase(line, tools));
  return calls.filter((call) => call !== undefined).slice(0, MAX_CALLS_PER_REPLY);
}

function callByPhrase(line: string, tools: readonly ToolDefinition[]): DemoCall | undefined {
  for (const { tool, pattern, more } of PHRASES) {
    const groups = tools.some(({ name }) => name === tool) ? pattern.exec(line) : null;
    if (groups === null) continue;
    const said = Object.entries(groups.groups ?? {}).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value.trim()] as const],
    );
    if (said.some(([, value]) => value === '')) continue;
    return { name: tool, arguments: { ...Object.fromEntries(said), ...more } };
  }
  return undefined;
}

/** Reads `use <tool>`, followed by JSON or by the text of the tool's single argument. */
function callByName(line: string, tools: readonly ToolDefinition[]): DemoCall | undefined {
  const [start, name = ''] = /^(?:please )?use (?:the tool )?`?([\w-]+)`?[.:]?/i.exec(line) ?? [''];
  const rest = line.slice(start.length).trim();
  const tool = tools.find((offered) => offered.name === name);
  if (tool === undefined) return undefined;
  if (rest.startsWith('{')) return { name, arguments: asObject(parseJson(rest)) };
  const [needed, ...others] = asList(tool.parameters['required']);
  const isEnough = typeof needed === 'string' && others.length === 0 && rest !== '';
  return { name, arguments: isEnough ? { [needed]: rest } : {} };
}
