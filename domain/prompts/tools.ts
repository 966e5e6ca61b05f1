import type { ToolDefinition } from '../transcripts/index.ts';

const HOW_TO_CALL = `# Tools

You can call tools. To call one, write a fenced block with the word tool_call after the opening fence and one JSON object in it, exactly like this:

\`\`\`tool_call
{"name": "NAME_OF_THE_TOOL", "arguments": {"NAME_OF_AN_ARGUMENT": "VALUE"}}
\`\`\`

- Both fences stand on lines of their own, at the beginning of the line.
- The block holds valid JSON and nothing else: write a line break in a string as \\n and a quotation mark as \\".
- One block is one call. To make several calls at the same time, write several blocks in one reply.
- End your reply after the last block. The results come in the next message, in blocks tool_result, in the order of the calls. Never write a block tool_result yourself.
- To show such a block to the user without a call being made, put it inside a longer fence.
- When you need no tool, answer without such a block.

These are your tools, with the JSON Schema of their arguments:`;

/** Writes how tools are called in fenced form, and which there are. */
export function describeTools(tools: readonly ToolDefinition[]): string {
  const described = tools.map(
    ({ name, description, parameters }) =>
      `## ${name}\n\n${description.trim()}\n\nArguments: ${JSON.stringify(parameters)}`,
  );
  return [HOW_TO_CALL, ...described].join('\n\n');
}
