import { ANY_TOOL, type ApprovalModes } from '../approvals/index.ts';
import { AppError } from '../core/app-error.ts';
import { type FieldFault, rejectFaults } from '../core/invalid-fields.ts';
import { MCP_NAME } from '../mcp-servers/index.ts';
import type { Policy } from '../permissions/index.ts';
import { nameInSentence } from '../resources/index.ts';
import { findWithheld } from './given-keys.ts';

/** The keys of an agent that somebody sets. */
export interface AgentKeyChanges {
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  /** When calls wait for a person, by the keys of their tools. */
  readonly requiresApproval?: ApprovalModes | undefined;
}

/** Tells which keys mean something in an organization. */
export interface KnownKeys {
  readonly tools: (key: string) => boolean;
  readonly skills: (key: string) => boolean;
}

/**
 * Rejects keys that mean nothing. Keys that the agent has already can stay, and a mode can name tools of MCP servers,
 * which come and go.
 */
export function requireKnownKeys(wanted: AgentKeyChanges, present: AgentKeyChanges, known: KnownKeys): void {
  const unknownIn = (field: 'tools' | 'skills') => {
    const unknown = new Set(addedTo(present[field], wanted[field]).filter((key) => !known[field](key)));
    return (wanted[field] ?? []).flatMap((key, index) =>
      unknown.has(key) ? [faultOf(field, key, [field, index])] : [],
    );
  };
  const { requiresApproval: modes = {} } = present;
  const unknownModes = Object.keys(wanted.requiresApproval ?? {}).filter(
    (key) => key !== ANY_TOOL && !key.startsWith(MCP_NAME) && !Object.hasOwn(modes, key) && !known.tools(key),
  );
  const ofModes = unknownModes.map((key) => faultOf('tools', key, ['requiresApproval', key]));
  rejectFaults([...unknownIn('tools'), ...unknownIn('skills'), ...ofModes]);
}

function faultOf(resource: 'tools' | 'skills', key: string, path: FieldFault['path']): FieldFault {
  return { path, message: `There is no ${nameInSentence(resource)} "${key}"` };
}

/**
 * Rejects giving an agent tools and skills that its giver may not use: it would use them for others, who may. Keys that
 * the agent has already can stay.
 */
export function requireMayGive(policy: Policy, wanted: AgentKeyChanges, present: AgentKeyChanges = {}): void {
  const withheld = findWithheld(policy, {
    tools: addedTo(present.tools, wanted.tools),
    skills: addedTo(present.skills, wanted.skills),
  });
  if (withheld === undefined) return;
  const words = `Your permission groups do not let you use the ${nameInSentence(withheld.resource)} "${withheld.key}", so you cannot give it to an agent`;
  throw new AppError('forbidden', words);
}

function addedTo(present: readonly string[] = [], wanted: readonly string[] = []): string[] {
  return wanted.filter((key) => !present.includes(key));
}
