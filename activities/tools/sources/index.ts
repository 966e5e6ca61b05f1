import type { ToolSource } from '../toolset.ts';
import { type BuiltinToolDeps, builtinTools } from './builtin.ts';
import { type CustomToolDeps, customTools } from './custom.ts';
import { delegation, type DelegationDeps } from './delegation.ts';
import { type McpToolDeps, mcpTools } from './mcp.ts';
import { skillReading } from './skills.ts';

/** The dependencies of the sources. */
export type SourceDeps = BuiltinToolDeps & DelegationDeps & McpToolDeps & CustomToolDeps;

/** Returns every source of tools; when two give a tool with the same key, the first source wins. */
export function toolSources(deps: SourceDeps): readonly ToolSource[] {
  return [customTools(deps), builtinTools(deps), delegation(deps), mcpTools(deps), skillReading(deps)];
}
