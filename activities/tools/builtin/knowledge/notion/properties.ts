import { z } from 'zod';
import { isObject } from '../../../../../domain/core/objects/is-object.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { plainText, toRichText } from './rich-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The types of the properties of a page or database, by their names. */
export const typedProperties = z.record(z.string(), z.looseObject({ type: z.string() }));
export type TypedProperties = z.output<typeof typedProperties>;

const named = z.object({ name: z.string() });
const identified = z.object({ id: z.string(), name: z.string().optional() });

/** What makes a plain value of one of a type; those of other types are plain. */
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
