import { plainLine } from '../core/plain-line.ts';
import { defuseFences } from '../tool-calls/index.ts';
import type { ToolDefinition } from '../transcripts/index.ts';
import { TOOL_DESCRIBE } from './tool-describe.ts';

/** The most that is told of a tool beside its name, in characters. */
const MAX_LINE = 100;

const HOW_TO_USE = `# Further tools

You have the tools below too, but not their arguments yet. Before you use one, call ${TOOL_DESCRIBE.name} with its name, or with all that you need at once: from then on you have them like your other tools.
`;

/** Writes which tools an agent has beside those that are given whole; '' for none. */
export function describeNamed(named: readonly ToolDefinition[]): string {
  if (named.length === 0) return '';
  return [HOW_TO_USE, ...named.map(lineOf)].join('\n');
}

// Descriptions may be others' texts: they cannot leave their line.
function lineOf({ name, description }: ToolDefinition): string {
  const line = plainLine(description, MAX_LINE * 2);
  const [sentence = ''] = line.split(/(?<=[.!?])\s/, 1);
  return `- ${name}: ${defuseFences(plainLine(sentence, MAX_LINE))}`;
}
