import type { MarkedToken, Token, Tokens } from 'marked';
import { type ComponentType, lazy, memo, type ReactNode, Suspense, useContext, useMemo, useState } from 'react';
import { workspacePathOf } from '../../../domain/workspace-links.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { showInvisible } from '../visible.ts';
import { type Block, blocksOf, GrowingBlocks } from './blocks.ts';
import { DiagramSource } from './diagram-source.tsx';
import { decodeEntities } from './entities.ts';
import { FormulaSource } from './formula-source.tsx';
import type { FormulaToken } from './formulas.ts';
import classes from './markdown.module.css';
import { OwnFilesContext } from './own-files.ts';
import { safeLink } from './safe-link.ts';
import { useMarkdownText } from '../text.ts';

/** What marked finds, and what it is told to find. */
type ShownToken = MarkedToken | FormulaToken;

/** Shows a diagram as a picture. */
const Diagram = drawnLater(async () => (await import('./drawn-diagram.tsx')).DrawnDiagram, DiagramSource);

/** Shows a formula as MathML. */
const Formula = drawnLater(async () => (await import('./set-formula.tsx')).SetFormula, FormulaSource);

/**
 * Makes what shows a source until what draws it is loaded, as few texts have one, and also where that cannot be loaded.
 */
function drawnLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Source: ComponentType<Props>,
): ComponentType<Props> {
  const Drawn = lazy(async () => ({ default: await load().catch(() => Source) }));
  return (props) => (
    <Suspense fallback={<Source {...props} />}>
      <Drawn {...props} />
    </Suspense>
  );
}

interface MarkdownProps {
  readonly text: string;
  /** Whether more of it follows. */
  readonly isGrowing?: boolean;
}

/**
 * Shows a foreign text that is written in Markdown. No HTML is made of it: marked only finds the blocks and marks, and
 * all that is foreign becomes text nodes and addresses of pages.
 */
export function Markdown({ text, isGrowing = false }: MarkdownProps): ReactNode {
  return (
    <div className={classes['markdown']}>{isGrowing ? <GrowingText text={text} /> : <WholeText text={text} />}</div>
  );
}

function WholeText({ text }: { readonly text: string }): ReactNode {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return <Blocks blocks={blocks} isOpen={false} />;
}

function GrowingText({ text }: { readonly text: string }): ReactNode {
  const [growing] = useState(() => new GrowingBlocks());
  const blocks = growing.update(text);
  return <Blocks blocks={blocks} isOpen />;
}

interface BlocksProps {
  readonly blocks: readonly Block[];
  /** Whether the last of them may still grow. */
  readonly isOpen: boolean;
}

/** Blocks that are looked at together: a chunk of a long text costs little more than one of a short text. */
const GROUP = 50;

function Blocks({ blocks, isOpen }: BlocksProps): ReactNode {
  const starts = Array.from({ length: Math.ceil(blocks.length / GROUP) }, (_, index) => index * GROUP);
  return starts.map((start) => (
    <BlockGroup
      key={start}
      blocks={blocks.slice(start, start + GROUP)}
      isOpen={isOpen && start + GROUP >= blocks.length}
    />
  ));
}

const BlockGroup = memo(
  function BlockGroup({ blocks, isOpen }: BlocksProps): ReactNode {
    return blocks.map((block, index) => (
      <BlockView key={index} block={block} isOpen={isOpen && index === blocks.length - 1} />
    ));
  },
  (before, { blocks, isOpen }) =>
    isOpen === before.isOpen &&
    blocks.length === before.blocks.length &&
    blocks.every((block, index) => block === before.blocks[index]),
);

interface BlockProps {
  readonly block: Block;
  /** Whether it may still grow. */
  readonly isOpen: boolean;
}

const BlockView = memo(function BlockView({ block, isOpen }: BlockProps): ReactNode {
  if (block.type === 'plain') return <p className={classes['plain']}>{block.raw}</p>;
  return blockOf(block as ShownToken, 0, isOpen);
});

function blocks(tokens: readonly Token[], depth: number): ReactNode {
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => raw).join('');
  return tokens.map((token, index) => <Nested key={index} token={token as ShownToken} depth={depth} />);
}

/** How deep marks within marks are shown; deeper ones are text. */
const MAX_DEPTH = 30;

/** Shows the marks and words of a paragraph. Everything foreign is a text node. */
function inline(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (tokens === undefined) return null;
  if (depth > MAX_DEPTH) return tokens.map(({ raw }) => raw).join('');
  return tokens.map((token, index) => <Inline key={index} token={token as ShownToken} depth={depth} />);
}

type ShownInline = {
  [T in ShownToken['type']]?: (token: Extract<ShownToken, { type: T }>, depth: number) => ReactNode;
};

const INLINE: ShownInline = {
  strong: (token, depth) => <strong>{inline(token.tokens, depth + 1)}</strong>,
  em: (token, depth) => <em>{inline(token.tokens, depth + 1)}</em>,
  del: (token, depth) => <del>{inline(token.tokens, depth + 1)}</del>,
  codespan: (token) => <code className={classes['codespan']}>{showInvisible(token.text)}</code>,
  br: () => <br />,
  link: (token, depth) => <Link token={token} depth={depth} />,
  image: (token) => <Picture token={token} />,
  checkbox: (token) => (token.checked ? '☑ ' : '☐ '),
  escape: (token) => token.text,
  formula: (token) => <Formula tex={token.text} isDisplayed={token.isDisplayed} />,
  text: (token, depth) => (token.tokens === undefined ? decodeEntities(token.text) : inline(token.tokens, depth + 1)),
};

// HTML, and whatever else there is, is shown as it was written.
function Inline({ token, depth }: { readonly token: ShownToken; readonly depth: number }): ReactNode {
  const show = INLINE[token.type] as ((token: ShownToken, depth: number) => ReactNode) | undefined;
  return show === undefined ? token.raw : show(token, depth);
}

function Link({ token, depth }: { readonly token: Tokens.Link; readonly depth: number }): ReactNode {
  const files = useContext(OwnFilesContext);
  const link = safeLink(token.href);
  const content = inline(token.tokens, depth + 1);
  if (link === undefined) {
    const path = workspacePathOf(token.href);
    if (files !== undefined && path !== undefined) return files.link(path, content);
    return token.href === token.text ? content : token.raw;
  }
  const showsDestination = token.text.includes(link.destination);
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {content}
      {showsDestination ? null : <Destination of={link.destination} />}
    </a>
  );
}

// The space stands outside, as the destination runs from left to right in every text.
function Destination({ of: destination }: { readonly of: string }): ReactNode {
  return (
    <>
      {' '}
      <span className={classes['destination']}>({showInvisible(destination)})</span>
    </>
  );
}

// A picture of another server would tell it that, when and by whom an answer is read: it is only linked.
function Picture({ token }: { readonly token: Tokens.Image }): ReactNode {
  const { picture } = useMarkdownText();
  const files = useContext(OwnFilesContext);
  const link = safeLink(token.href);
  const description = decodeEntities(token.text);
  if (link === undefined) {
    const path = workspacePathOf(token.href);
    return files === undefined || path === undefined ? token.raw : files.picture(path, description);
  }
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow ugc">
      {picture(description)}
      <Destination of={link.destination} />
    </a>
  );
}

function Nested({ token, depth }: { readonly token: ShownToken; readonly depth: number }): ReactNode {
  return blockOf(token, depth, false);
}

type Shown = {
  [T in ShownToken['type']]?: (token: Extract<ShownToken, { type: T }>, depth: number, isOpen: boolean) => ReactNode;
};

const BLOCKS: Shown = {
  space: () => null,
  def: () => null,
  hr: () => <hr />,
  heading: (token, depth) => <Heading token={token} depth={depth} />,
  code: (token, depth, isOpen) => <Code token={token} isOpen={(isOpen || depth > 0) && !isFenced(token)} />,
  blockquote: (token, depth) => <blockquote dir={directionAt(depth)}>{blocks(token.tokens, depth + 1)}</blockquote>,
  list: (token, depth) => <List token={token} depth={depth} />,
  table: (token, depth) => <Table token={token} depth={depth} />,
  paragraph: (token, depth) => <p>{inline(token.tokens, depth + 1)}</p>,
  html: (token) => <p className={classes['plain']}>{token.raw}</p>,
};

function blockOf(token: ShownToken, depth: number, isOpen: boolean): ReactNode {
  const show = BLOCKS[token.type] as ((token: ShownToken, depth: number, isOpen: boolean) => ReactNode) | undefined;
  return show === undefined ? inline([token], depth) : show(token, depth, isOpen);
}

/** Lists, quotes and tables start at the side that their first letter starts at, with all that they contain. */
function directionAt(depth: number): 'auto' | undefined {
  return depth === 0 ? 'auto' : undefined;
}

// The headings of an answer stand below that of the page and that of the message.
const HEADINGS = ['h3', 'h4', 'h5', 'h6', 'h6', 'h6'] as const;

function Heading({ token, depth }: { readonly token: Tokens.Heading; readonly depth: number }): ReactNode {
  const Tag = HEADINGS[token.depth - 1] ?? 'h6';
  return <Tag>{inline(token.tokens, depth + 1)}</Tag>;
}

function List({ token, depth }: { readonly token: Tokens.List; readonly depth: number }): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? classes['task'] : undefined}>
      {blocks(item.tokens, depth + 1)}
    </li>
  ));
  const dir = directionAt(depth);
  if (!token.ordered) return <ul dir={dir}>{items}</ul>;
  return (
    <ol dir={dir} start={Number(token.start)}>
      {items}
    </ol>
  );
}

function Table({ token, depth }: { readonly token: Tokens.Table; readonly depth: number }): ReactNode {
  const text = useMarkdownText();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys
    <section className={classes['table']} dir={directionAt(depth)} aria-label={text.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, index) => (
              <th key={index} scope="col" data-align={cell.align ?? undefined}>
                {inline(cell.tokens, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align ?? undefined}>
                  {inline(cell.tokens, depth + 1)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Code({ token, isOpen }: { readonly token: Tokens.Code; readonly isOpen: boolean }): ReactNode {
  const language = languageOf(token);
  if (language === 'mermaid' && !isOpen) return <Diagram code={token.text} />;
  return <CodeBlock code={token.text} language={language} isOpen={isOpen} />;
}

/** Returns whether a block of code has its last fence, after which it grows no more. */
function isFenced({ raw }: Tokens.Code): boolean {
  const fence = /^ *(`{3,}|~{3,})/.exec(raw)?.[1];
  const text = raw.trimEnd();
  const last = text.slice(text.lastIndexOf('\n') + 1).trim();
  return fence !== undefined && text.includes('\n') && last.startsWith(fence) && /^(?:`+|~+)$/.test(last);
}

function languageOf({ lang }: Tokens.Code): string {
  return /^[\w#+.-]{1,30}/.exec(lang ?? '')?.[0] ?? '';
}
