import type { ApprovalModes } from '../../domain/approvals.ts';
import { restrictAgent } from '../../domain/permissions/restrict.ts';
import { versionIn } from '../definitions/statements.ts';
import { PROFILE_OF_CHAT, type TurnProfile } from '../model-profiles.ts';
import type { TurnPart } from '../turns/claim/turn-parts.ts';

/** The agent as it is now. */
export interface TurnAgent {
  readonly id: string;
  readonly name: string;
  readonly systemPrompt: string;
  readonly soul: Readonly<Record<string, unknown>>;
  /** The model that it prefers, or `profile:` and the name of a model profile. */
  readonly modelPref: string | null;
  readonly profile: TurnProfile | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly maxSubagents: number;
  readonly maxConcurrency: number;
  /** The tools that the user may use. */
  readonly tools: readonly string[];
  /** The skills that the user may use. */
  readonly skills: readonly string[];
  /** When its calls wait for a person's decision. */
  readonly requiresApproval: ApprovalModes;
  /** Its persona, which may have been deleted since. */
  readonly personaId: string | null;
  /** The version of the organization's definitions: those read before are valid while it is the same. */
  readonly definitionsVersion: number;
  readonly isActive: boolean;
  readonly isDeleted: boolean;
}

/** The agent of the chat, with those of its tools and skills that the user may use. */
export const agentForTurn: TurnPart<TurnAgent, TurnAgent> = {
  text: `select a.id, a.name, a.system_prompt as "systemPrompt", a.soul, a.model_pref as "modelPref", a.temperature,
        a.max_tokens as "maxTokens", a.max_subagents as "maxSubagents", a.max_concurrency as "maxConcurrency",
        a.tools, a.skills, a.requires_approval as "requiresApproval", a.persona_id as "personaId", ${versionIn('a.org_id')} as "definitionsVersion", a.is_active as "isActive", a.deleted_at is not null as "isDeleted",
        ${PROFILE_OF_CHAT} as profile`,
  of: ([agent], { policy }) => {
    if (agent === undefined) throw new Error('the chat of a turn has no agent');
    return policy === null ? agent : restrictAgent(policy, agent);
  },
};
