import { z } from 'zod';
import { isObject } from '../../../../../domain/core/objects.ts';
import type { Span } from '../../../compute/job.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { markText } from '../../markdown-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The types of the properties of a page or database, by their names. */
export const typedProperties = z.record(z.string(), z.looseObject({ type: z.string() }));
type TypedProperties = z.output<typeof typedProperties>;

const named = z.object({ name: z.string() });
const identified = z.object({ id: z.string(), name: z.string().optional() });

const annotations = z.object({
  bold: z.boolean().catch(false),
  italic: z.boolean().catch(false),
  strikethrough: z.boolean().catch(false),
  code: z.boolean().catch(false),
});

const richTextSchema = z.object({
  plain_text: z.string(),
  href: z.string().nullish(),
  annotations: annotations.optional(),
});

/** Converts values of these types to plain ones; those of other types are plain. */
const READERS: Readonly<Record<string, (value: unknown) => unknown>> = {
  title: plainText,
  rich_text: plainText,
  select: nameOf,
  status: nameOf,
  multi_select: (value) => listOf(value, nameOf),
  files: (value) => listOf(value, nameOf),
  people: (value) => listOf(value, nameOrId),
  relation: (value) => listOf(value, nameOrId),
  created_by: nameOrId,
  last_edited_by: nameOrId,
  formula: innerValue,
  rollup: innerValue,
};

/** Returns the properties of a page with plain values, without empty ones. */
export function plainProperties(properties: TypedProperties): Fields {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const value = (READERS[property.type] ?? itself)(property[property.type]);
      const isEmpty =
        value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
      return isEmpty ? [] : [[name, value]];
    }),
  );
}

function listOf(value: unknown, read: (each: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(read) : undefined;
}

function itself(value: unknown): unknown {
  return value;
}

function nameOf(value: unknown): string | undefined {
  return named.safeParse(value).data?.name;
}

function nameOrId(value: unknown): string | undefined {
  const { data } = identified.safeParse(value);
  return data?.name ?? data?.id;
}

// A calculated value names its own type.
function innerValue(value: unknown): unknown {
  const { data } = z.looseObject({ type: z.string() }).safeParse(value);
  return data?.[data.type];
}

/** Returns the name of the property that is the title. */
export function titleName(properties: TypedProperties): string {
  return Object.entries(properties).find(([, { type }]) => type === 'title')?.[0] ?? 'title';
}

/** Returns properties as Notion takes them; plain values become those of their property's type. */
export function toProperties(values: Fields, properties: TypedProperties): Fields {
  const known = new Map(Object.entries(properties));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const type = known.get(name)?.type;
      if (type === undefined)
        throw new ToolFailure(
          'invalid_input',
          `There is no property ${name}; there is ${[...known.keys()].join(', ')}`,
          {
            isForeign: true,
          },
        );
      return [name, toProperty(type, value)];
    }),
  );
}

function toProperty(type: string, value: unknown): unknown {
  // Whoever knows Notion's own form gives that.
  if (isObject(value)) return value;
  return { [type]: value === null ? emptyValue(type) : notionValue(type, value) };
}

function emptyValue(type: string): unknown {
  return ['title', 'rich_text', 'multi_select', 'people', 'relation', 'files'].includes(type) ? [] : null;
}

function notionValue(type: string, value: unknown): unknown {
  const texts = (Array.isArray(value) ? value : [value]).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );
  switch (type) {
    case 'title':
    case 'rich_text':
      return toRichText(texts.map((text) => ({ text })));
    case 'select':
    case 'status':
      return { name: texts[0] };
    case 'multi_select':
      return texts.map((name) => ({ name }));
    case 'people':
    case 'relation':
      return texts.map((id) => ({ id }));
    case 'date':
      return { start: texts[0], ...(texts[1] !== undefined && { end: texts[1] }) };
    default:
      return value;
  }
}

/** The longest rich text object, and the most of them in one block. */
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_TEXTS = 100;
const MAX_LINK = 2_000;

const NO_STYLE = { bold: false, italic: false, strikethrough: false, code: false };

/** Returns text as Notion's rich text, split into objects of the length that it takes. */
export function toRichText(spans: readonly Span[]): readonly unknown[] {
  return spans.flatMap(({ text, link, bold, italic, strike, code }) =>
    splitText(text).map((content) => ({
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

/** Divides rich text objects into lists that fit into a block each. */
export function inBlocks<T>(texts: readonly T[]): readonly (readonly T[])[] {
  const count = Math.max(1, Math.ceil(texts.length / MAX_TEXTS));
  return Array.from({ length: count }, (_, at) => texts.slice(at * MAX_TEXTS, (at + 1) * MAX_TEXTS));
}

/** Returns Notion's text without its styles. */
export function plainText(richText: unknown): string {
  return textsIn(richText)
    .map((each) => each.plain_text)
    .join('');
}

/** Returns Notion's text as Markdown. */
export function toInlineMarkdown(richText: unknown): string {
  return textsIn(richText)
    .map(({ plain_text: text, href, annotations: { strikethrough: strike, ...style } = NO_STYLE }) =>
      markText(text, { ...style, strike, link: href ?? undefined }),
    )
    .join('');
}

function textsIn(richText: unknown): readonly z.output<typeof richTextSchema>[] {
  return Array.isArray(richText) ? richText.flatMap((each) => richTextSchema.safeParse(each).data ?? []) : [];
}

// Halves of a character do not come apart.
function splitText(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / (MAX_TEXT_CHARACTERS / 2));
  return Array.from({ length: count }, (_, at) =>
    characters.slice((at * MAX_TEXT_CHARACTERS) / 2, ((at + 1) * MAX_TEXT_CHARACTERS) / 2).join(''),
  );
}
