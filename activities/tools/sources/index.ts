import type { TenantDatabase } from '../../../db/core/database.ts';
import { findIntegrationProblems } from '../../../db/integrations/connections.ts';
import type { Definition } from '../../../domain/definitions/definition.ts';
import { inspectDefinition } from '../../../domain/tools/inspect-tool.ts';
import type { Definitions } from '../../../db/definitions/definitions.ts';
import { customTool, unusableTool } from '../custom/custom-tool.ts';
import type { SourcedTool, ToolSource } from '../toolset.ts';
import { hasMoreToRead, splitSkills } from '../../../domain/prompts/skills.ts';
import { skillRead } from '../builtin/knowledge/skill-read.ts';
import { type BuiltinToolDeps, builtinTools } from './builtin.ts';
import { delegation, type DelegationDeps } from './delegation.ts';
import { type McpToolDeps, mcpTools } from './mcp.ts';
import { type QuestionDeps, questions } from './questions.ts';

/** The dependencies of custom tools. */
interface CustomToolDeps {
  readonly database: TenantDatabase;
  readonly definitions: Definitions;
}

const made = new WeakMap<Definition, SourcedTool | undefined>();

/**
 * Gives the tools that the agent lists and that run by their definition: those of the organization, or of the operator.
 */
function customTools({ database, definitions }: CustomToolDeps): ToolSource {
  return async ({ orgId, agent, turn }) => {
    if (agent.tools.length === 0) return [];
    const found = await definitions.read(orgId, 'tool', agent.tools, turn?.agent.definitionsVersion);
    const problems = await problemsOf(database, orgId, found);
    return found.flatMap((definition) => {
      const problem = problems.get(definition.key);
      return problem === undefined ? (toolOf(definition) ?? []) : unusableTool(definition.key, problem);
    });
  };
}

// An integration may change without the definition. Most agents have no tool that names one, and read nothing here.
async function problemsOf(database: TenantDatabase, orgId: string, definitions: readonly Definition[]) {
  const tools = definitions.flatMap((definition) => {
    const inspection = inspectDefinition(definition);
    return 'tool' in inspection ? inspection.tool : [];
  });
  return findIntegrationProblems(database, orgId, tools);
}

function toolOf(definition: Definition): SourcedTool | undefined {
  if (!made.has(definition)) made.set(definition, makeTool(definition));
  return made.get(definition);
}

// A builtin definition without a runtime describes a tool that is part of the worker. One of the organization that
// cannot be used still overrides the builtin one of its key.
function makeTool(definition: Definition): SourcedTool | undefined {
  const inspection = inspectDefinition(definition);
  if ('tool' in inspection) return customTool(inspection.tool);
  return definition.origin === 'builtin' ? undefined : unusableTool(definition.key, inspection.problem);
}

/** The dependencies of the source. */
interface SkillDeps {
  readonly definitions: Definitions;
}

/**
 * Gives the tool that reads skills to agents whose prompt does not contain all of theirs. Once a call is planned, it is
 * run whatever the prompt contains by then.
 */
function skillReading({ definitions }: SkillDeps): ToolSource {
  return async ({ orgId, agent, turn }) => {
    if (agent.skills.length === 0) return [];
    if (turn === undefined) return [skillRead];
    const skills = await definitions.read(orgId, 'skill', agent.skills, turn.agent.definitionsVersion);
    return hasMoreToRead(splitSkills(skills)) ? [skillRead] : [];
  };
}

/** The dependencies of the sources. */
export type SourceDeps = BuiltinToolDeps & DelegationDeps & McpToolDeps & CustomToolDeps & QuestionDeps;

/** Returns every source of tools; when two give a tool with the same key, the first source wins. */
export function toolSources(deps: SourceDeps): readonly ToolSource[] {
  return [customTools(deps), builtinTools(deps), delegation(deps), questions(deps), mcpTools(deps), skillReading(deps)];
}
