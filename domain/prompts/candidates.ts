import { AGENT_SPAWN, defuseFences } from '../tool-calls/index.ts';

/**
 * Writes the part of the system prompt about the agents that can be delegated to, and the kinds of work that models can
 * be chosen for; '' when there are no agents.
 */
export function describeCandidates(
  candidates: readonly { readonly name: string; readonly description: string }[],
  modelTags: readonly string[],
): string {
  if (candidates.length === 0) return '';
  const lines = candidates.map(
    ({ name, description }) => `- ${[name, defuseFences(oneLine(description))].filter(Boolean).join(': ')}`,
  );
  const agents = `# Agents\n\nWith ${AGENT_SPAWN} you can delegate work to these agents:\n\n${lines.join('\n')}`;
  if (modelTags.length === 0) return agents;
  const tags = modelTags.map((tag) => defuseFences(oneLine(tag))).join(', ');
  return `${agents}\n\nFor some kinds of work there are models of their own, which model_tags asks for: ${tags}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
