import type { Lacking } from '../../../domain/tools/index.ts';
import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { unusableTool } from '../custom/custom-tool.ts';
import type { BuiltinTool } from '../define-tool.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';

/** The dependencies of builtin tools. */
export interface BuiltinToolDeps {
  /** Returns what this worker lacks at the moment. */
  readonly lacking: () => Lacking;
}

/** Gives the builtin tools that the agent lists. One that this worker cannot run is not offered, and says why. */
export function builtinTools({ lacking }: BuiltinToolDeps, all: readonly BuiltinTool[] = BUILTIN_TOOLS): ToolSource {
  const byKey = new Map(all.map((tool) => [tool.key, tool]));
  return ({ agent }) =>
    agent.tools.flatMap((key) => {
      const tool = byKey.get(key);
      return tool === undefined ? [] : usableHere(tool, lacking());
    });
}

function usableHere(tool: BuiltinTool, lacking: Lacking): SourcedTool {
  const { needs } = tool.definition;
  const reason = needs === undefined ? undefined : lacking[needs];
  return reason === undefined ? tool : unusableTool(tool.key, reason);
}
