import { BUILTIN_TOOLS } from '../builtin/index.ts';
import type { ToolSource } from '../toolset.ts';

const byKey = new Map(BUILTIN_TOOLS.map((tool) => [tool.key, tool]));

/** Gives the builtin tools that the agent lists. */
export const builtinTools: ToolSource = ({ agent }) => agent.tools.flatMap((key) => byKey.get(key) ?? []);
