import { Marked } from 'marked';
import type { MarkdownLinksJob } from '../job.ts';

/** Returns the addresses of the links and pictures of a text, each once, in order. */
export function markdownLinks({ markdown, limit }: MarkdownLinksJob): string[] {
  const marked = new Marked({ gfm: true });
  const found = new Set<string>();
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if ((token.type === 'link' || token.type === 'image') && found.size < limit) found.add(String(token['href']));
  });
  return [...found];
}
