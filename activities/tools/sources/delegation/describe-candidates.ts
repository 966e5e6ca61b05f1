import { AGENT_SPAWN, defuseFences } from '../../../../domain/tool-calls/index.ts';

/** Writes the part of the system prompt about the agents that can be delegated to; '' when there are none. */
export function describeCandidates(
  candidates: readonly { readonly name: string; readonly description: string }[],
): string {
  if (candidates.length === 0) return '';
  const lines = candidates.map(
    ({ name, description }) => `- ${[name, defuseFences(oneLine(description))].filter(Boolean).join(': ')}`,
  );
  return `# Agents\n\nWith ${AGENT_SPAWN} you can delegate work to these agents:\n\n${lines.join('\n')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
