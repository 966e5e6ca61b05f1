import { z } from 'zod';
import type { Span } from '../../../compute/job.ts';
import { markText } from '../../markdown-text.ts';

/** The longest text of one piece, and the most pieces of one block. */
const MAX_PIECE = 2_000;
const MAX_PIECES = 100;
const MAX_LINK = 2_000;

const annotations = z.object({
  bold: z.boolean().catch(false),
  italic: z.boolean().catch(false),
  strikethrough: z.boolean().catch(false),
  code: z.boolean().catch(false),
});
const NO_STYLE = { bold: false, italic: false, strikethrough: false, code: false };
const piece = z.object({
  plain_text: z.string(),
  href: z.string().nullish(),
  annotations: annotations.optional(),
});

/** Returns text in Notion's form, cut into pieces of the length that it takes. */
export function toRichText(spans: readonly Span[]): readonly unknown[] {
  return spans.flatMap(({ text, link, bold, italic, strike, code }) =>
    piecesOf(text).map((content) => ({
      type: 'text',
      text: { content, link: link === undefined || link.length > MAX_LINK ? null : { url: link } },
      annotations: {
        bold: bold === true,
        italic: italic === true,
        strikethrough: strike === true,
        code: code === true,
      },
    })),
  );
}

/** Returns lists of pieces of which each fits into a block. */
export function inBlocks<T>(pieces: readonly T[]): readonly (readonly T[])[] {
  const count = Math.max(1, Math.ceil(pieces.length / MAX_PIECES));
  return Array.from({ length: count }, (_, at) => pieces.slice(at * MAX_PIECES, (at + 1) * MAX_PIECES));
}

/** Returns Notion's text without its styles. */
export function plainText(richText: unknown): string {
  return piecesIn(richText)
    .map((each) => each.plain_text)
    .join('');
}

/** Returns Notion's text as Markdown. */
export function toInlineMarkdown(richText: unknown): string {
  return piecesIn(richText)
    .map(({ plain_text: text, href, annotations: { strikethrough: strike, ...style } = NO_STYLE }) =>
      markText(text, { ...style, strike, link: href ?? undefined }),
    )
    .join('');
}

function piecesIn(richText: unknown): readonly z.output<typeof piece>[] {
  return Array.isArray(richText) ? richText.flatMap((each) => piece.safeParse(each).data ?? []) : [];
}

// Halves of a character do not come apart.
function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / (MAX_PIECE / 2));
  return Array.from({ length: count }, (_, at) =>
    characters.slice((at * MAX_PIECE) / 2, ((at + 1) * MAX_PIECE) / 2).join(''),
  );
}
