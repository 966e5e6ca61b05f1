import type { ChatTurn, Message } from '../connection/merge-messages.ts';

/** What an exported chat is made of, beside its messages. */
interface ExportWords {
  readonly title: string;
  /** How its user is called. */
  readonly you: string;
  /** How its agent is called, where a message does not say. */
  readonly agent: string;
  readonly leftOut: string;
}

/** Returns a chat as a Markdown file: a heading for each message, with who has written it and when. */
export function chatAsMarkdown(turns: readonly ChatTurn[], words: ExportWords): string {
  const messages = turns.flatMap(({ question, answer }) => [question, answer].flatMap((message) => message ?? []));
  const parts = messages.map((message) => `${headingOf(message, words)}\n\n${message.content.trim()}`);
  return `${[`# ${inLine(words.title)}`, ...parts].join('\n\n')}\n`;
}

function headingOf(
  { role, user_name: user, agent_name: agent, created_at: time, excluded }: Message,
  words: ExportWords,
) {
  const who = role === 'user' ? (user ?? words.you) : (agent ?? words.agent);
  return `## ${inLine(who)} (${time.slice(0, 16).replace('T', ' ')} UTC)${excluded ? `, ${words.leftOut}` : ''}`;
}

function inLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Returns the name of a file for a title: without what some systems do not take. */
export function fileNameOf(title: string): string {
  const name = title.replaceAll(/[^\p{L}\p{N} _-]+/gu, ' ').replaceAll(/\s+/g, ' ');
  return `${name.trim().slice(0, 80).trim() || 'chat'}.md`;
}
