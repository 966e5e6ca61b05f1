import type { Parsed } from './parsed.ts';

/** A text with places for values. */
export type Template = readonly TemplatePart[];

/** A literal text, or the name of the argument whose value stands there. */
export type TemplatePart = string | { readonly argument: string };

const PLACEHOLDER = /\{\{[ \t]{0,9}([A-Za-z_][\w-]{0,99})(\.[\w-]{1,100})?[ \t]{0,9}\}\}/g;

/** Why a definition that names secrets cannot be used. */
const NO_SECRETS =
  'credentials of integrations cannot be used yet; a definition that names {{ secret... }} is incomplete';

/** Reads the placeholders `{{ name }}` of a text. */
export function parseTemplate(text: string): Parsed<Template> {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', 2: field, index } of text.matchAll(PLACEHOLDER)) {
    if (name === 'secret' && field !== undefined) return { issue: NO_SECRETS };
    if (field !== undefined) return { issue: `${whole} is no placeholder: write the name of an argument` };
    parts.push(text.slice(end, index), { argument: name });
    end = index + whole.length;
  }
  parts.push(text.slice(end));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{'))) {
    return { issue: 'a placeholder is not written as {{ name }}' };
  }
  return { value: parts.filter((part) => part !== '') };
}

/** Returns the argument that is all of a template; undefined when there is other text, or no placeholder. */
export function wholeArgument(template: Template): string | undefined {
  const [only, ...others] = template;
  return others.length === 0 && typeof only === 'object' ? only.argument : undefined;
}

/** Returns whether a template has no placeholder. */
export function isLiteral(template: Template): boolean {
  return template.every((part) => typeof part === 'string');
}

/** Lists the names of a template's arguments. */
export function argumentsOf(template: Template): readonly string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part.argument]));
}
