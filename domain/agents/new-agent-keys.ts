import type { PersonaFields } from '../definitions/index.ts';
import type { Policy } from '../permissions/index.ts';
import { nameInSentence } from '../resources/index.ts';
import type { KnownKeys } from './added-keys.ts';
import { findWithheld } from './given-keys.ts';

/** A default of a persona that an agent was not given, and why. */
interface LeftOutDefault {
  readonly key: string;
  readonly problem: string;
}

/** The defaults of its persona that a new agent was not given though it names none itself. */
export interface LeftOutDefaults {
  readonly tools: LeftOutDefault[];
  readonly skills: LeftOutDefault[];
}

interface NewAgentKeys {
  readonly tools: string[];
  readonly skills: string[];
  readonly leftOut: LeftOutDefaults | undefined;
}

/**
 * Returns the tools and skills of a new agent: its own where it names some, even none, and otherwise the defaults of
 * its persona, as far as they exist and its creator may give them to an agent.
 */
export function keysOfNewAgent(
  policy: Policy,
  own: { readonly tools?: string[] | undefined; readonly skills?: string[] | undefined },
  persona: PersonaFields | null,
  known: KnownKeys,
): NewAgentKeys {
  const defaults = persona ?? NO_DEFAULTS;
  const tools = own.tools ? whole(own.tools) : divide(policy, 'tools', defaults.defaultTools, known);
  const skills = own.skills ? whole(own.skills) : divide(policy, 'skills', defaults.defaultSkills, known);
  const isAnyLeftOut = tools.leftOut.length + skills.leftOut.length > 0;
  return {
    tools: tools.given,
    skills: skills.given,
    leftOut: isAnyLeftOut ? { tools: tools.leftOut, skills: skills.leftOut } : undefined,
  };
}

const NO_DEFAULTS = { defaultTools: [], defaultSkills: [] } as const;

interface Divided {
  readonly given: string[];
  readonly leftOut: LeftOutDefault[];
}

function whole(given: string[]): Divided {
  return { given, leftOut: [] };
}

function divide(policy: Policy, field: 'tools' | 'skills', defaults: readonly string[], known: KnownKeys): Divided {
  const problemOf = (key: string) => {
    if (!known[field](key)) return `There is no ${nameInSentence(field)} of this key`;
    const isWithheld = findWithheld(policy, { tools: [], skills: [], [field]: [key] }) !== undefined;
    return isWithheld ? 'Your permission groups do not let you give it to an agent' : undefined;
  };
  const leftOut = defaults.flatMap((key) => {
    const problem = problemOf(key);
    return problem === undefined ? [] : [{ key, problem }];
  });
  return { given: defaults.filter((key) => leftOut.every((each) => each.key !== key)), leftOut };
}
