import type { MarkedToken, Token, Tokens } from 'marked';
import type { ReactNode } from 'react';
import { showInvisible } from '../visible.ts';
import { decodeEntities } from './entities.ts';
import styles from './markdown.module.css';
import { safeLink } from './safe-link.ts';
import { useMarkdownText } from './text.ts';

/** How deep marks within marks are shown; deeper ones are text. */
export const MAX_DEPTH = 30;

/** Shows the marks and words of a paragraph. Everything foreign is a text node. */
export function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => raw).join('');
  return tokens.map((token, index) => <Inline key={index} token={token as MarkedToken} depth={depth} />);
}

type Shown = { [T in MarkedToken['type']]?: (token: Extract<MarkedToken, { type: T }>, depth: number) => ReactNode };

const INLINE: Shown = {
  strong: (token, depth) => <strong>{inline(token.tokens, depth + 1)}</strong>,
  em: (token, depth) => <em>{inline(token.tokens, depth + 1)}</em>,
  del: (token, depth) => <del>{inline(token.tokens, depth + 1)}</del>,
  codespan: (token) => <code className={styles['codespan']}>{showInvisible(token.text)}</code>,
  br: () => <br />,
  link: (token, depth) => <Link token={token} depth={depth} />,
  image: (token) => <Picture token={token} />,
  checkbox: (token) => (token.checked ? '☑ ' : '☐ '),
  escape: (token) => token.text,
  text: (token, depth) => (token.tokens === undefined ? decodeEntities(token.text) : inline(token.tokens, depth + 1)),
};

// HTML, and whatever else there is, is shown as it was written.
function Inline({ token, depth }: { readonly token: MarkedToken; readonly depth: number }): ReactNode {
  const show = INLINE[token.type] as ((token: MarkedToken, depth: number) => ReactNode) | undefined;
  return show === undefined ? token.raw : show(token, depth);
}

function Link({ token, depth }: { readonly token: Tokens.Link; readonly depth: number }): ReactNode {
  const link = safeLink(token.href);
  const content = inline(token.tokens, depth + 1);
  if (link === undefined) return token.href === token.text ? content : token.raw;
  const saysPlace = token.text.includes(link.place);
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {content}
      {saysPlace ? null : <span className={styles['place']}> ({showInvisible(link.place)})</span>}
    </a>
  );
}

// A picture would tell its server that, when and by whom an answer is read: it is only linked.
function Picture({ token }: { readonly token: Tokens.Image }): ReactNode {
  const { picture } = useMarkdownText();
  const link = safeLink(token.href);
  if (link === undefined) return token.raw;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {picture(decodeEntities(token.text))}
      <span className={styles['place']}> ({showInvisible(link.place)})</span>
    </a>
  );
}
