import { BUILTIN_TOOLS } from '../builtin/index.ts';
import { agentSpawn } from '../sources/delegation.ts';
import { askPerson } from '../sources/questions.ts';
import type { IntegrationKindKey } from '../../../domain/integrations/kinds/index.ts';
import type { z } from 'zod';
import type { ApprovalMode } from '../../../domain/approvals.ts';
import type { Area } from '../../../domain/resources.ts';
import type { Effect } from '../../../domain/tool-calls/tool-call.ts';
import type { ToolCategory } from '../../../domain/tools/category.ts';
import type { ToolNeeds } from '../../../domain/tools/needs.ts';
import { toJsonSchema } from '../arguments/parse-arguments.ts';

/** The definition files of all builtin tools. */
export const definitionFiles = [...BUILTIN_TOOLS.map(({ definition }) => definition), agentSpawn, askPerson].map(
  definitionFile,
);

/** The definition of a builtin tool; everything that users and models see of it comes from here. */
export interface BuiltinDefinition<P extends z.ZodObject = z.ZodObject> extends ToolNeeds {
  readonly key: string;
  /** For people. */
  readonly name: string;
  /** For the model. */
  readonly description: string;
  readonly category: ToolCategory;
  readonly parameters: P;
  /** The worst that a call can do. */
  readonly effect: Effect;
  /** When its calls wait for a person's decision, where the agent says nothing of it; never by default. */
  readonly approval?: ApprovalMode;
  /** Absent where another limit applies. */
  readonly timeoutSeconds?: number;
  /** Set when a call reaches nothing outside the service and usually takes milliseconds. */
  readonly inline?: boolean;
  /** Set when it works on records of this area: calls that read need its `view` key of the user, others `manage`. */
  readonly permission?: Area;
  /** The kinds of integrations that it works with where there is one; it works without too. */
  readonly usesIntegration?: readonly IntegrationKindKey[];
  /**
   * Set when it works on what only a chat and its agent have, acts in the agent's name, or is billed to a turn: nobody
   * can try it without them.
   */
  readonly onlyInChats?: boolean;
}

/** Returns the content of the tool's definition file, `tool.json`. */
function definitionFile({
  approval,
  timeoutSeconds,
  inline,
  permission,
  needs,
  needsIntegration,
  usesIntegration,
  onlyInChats,
  ...definition
}: BuiltinDefinition) {
  const { key, name, description, category, parameters, effect } = definition;
  return {
    key,
    name,
    description,
    category,
    parameters: toJsonSchema(parameters),
    effect,
    ...(approval !== undefined && { requires_approval: approval }),
    ...(timeoutSeconds !== undefined && { timeout_s: timeoutSeconds }),
    ...(inline === true && { inline }),
    ...(permission !== undefined && { permission }),
    ...(needs !== undefined && { needs }),
    ...(needsIntegration !== undefined && { needs_integration: needsIntegration }),
    ...(usesIntegration !== undefined && { uses_integration: usesIntegration }),
    ...(onlyInChats === true && { only_in_chats: onlyInChats }),
  };
}
