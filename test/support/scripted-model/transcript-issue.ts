import type { ChatMessage } from './chat-request.ts';

/**
 * Returns why a strict provider would reject a transcript, or undefined. The rules are those that make the OpenAI API
 * respond with 400: every tool call is followed by exactly one result before anything else is said, and no result
 * stands alone. Enforced here because a lenient fake would hide a broken transcript until it meets a real provider.
 */
export function transcriptIssue(messages: readonly ChatMessage[]): string | undefined {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.[${index}]`;
    if (message.role === 'tool') {
      if (message.tool_call_id === undefined || !open.delete(message.tool_call_id)) {
        return `Invalid parameter: ${at}: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
      }
      continue;
    }
    if (open.size > 0) return unanswered(open);
    if (message.role === 'assistant') {
      const ids = (message.tool_calls ?? []).map((call) => call.id);
      open = new Set(ids);
      if (open.size !== ids.length) return `Invalid parameter: ${at}: duplicate tool call id.`;
      if (ids.length > 0) continue;
    }
    if (lacksContent(message)) return `Invalid value for 'content': expected a string, got null. (${at})`;
  }
  return open.size > 0 ? unanswered(open) : undefined;
}

function unanswered(ids: ReadonlySet<string>): string {
  return (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
    `The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`
  );
}

function lacksContent({ content }: ChatMessage): boolean {
  return content === null || content === undefined;
}
