import { cut } from '../../domain/core/text.ts';
import { namesIn, TOOL_DESCRIBE } from '../../domain/tool-offer/index.ts';
import { jsonSchemaTool } from './json-schema-tool.ts';
import type { CallError, CallPlan, Tool } from './tool.ts';

/** The most of an unknown name that is told back, in characters. */
const MAX_NAME = 100;

const tool = jsonSchemaTool({
  key: TOOL_DESCRIBE.name,
  description: TOOL_DESCRIBE.description,
  parameters: TOOL_DESCRIBE.parameters,
  inline: true,
  effect: 'read',
  timeoutSeconds: 10,
  label: 'Looking at tools',
  // What it does is that it was called: the offer follows from the calls of the conversation.
  run: async (args) => ({ value: `From now on you have these among your tools: ${namesIn(args).join(', ')}` }),
});

/**
 * Makes the tool with which a model has others described, which it knows by their names. `isOffered` tells whether it
 * has one of a name.
 */
export function toolDescribe(isOffered: (name: string) => boolean): Tool {
  return {
    ...tool,
    isAboutTools: true,
    plan: async (calls) => {
      const plans = await tool.plan(calls);
      return plans.map((plan, at) => ('error' in plan ? plan : planFor(plan, unknownIn(calls[at] ?? {}, isOffered))));
    },
  };
}

function unknownIn(args: Readonly<Record<string, unknown>>, isOffered: (name: string) => boolean): readonly string[] {
  return namesIn(args).filter((name) => !isOffered(name));
}

function planFor(plan: CallPlan, unknown: readonly string[]): CallPlan | CallError {
  if (unknown.length === 0) return plan;
  const names = unknown.map((name) => `"${cut(name, MAX_NAME)}"`).join(', ');
  return { error: { kind: 'not_found', message: `You have no tool ${names}; none was described` } };
}
