import type { Parsed } from './parsed.ts';

/** A text with places for values. */
export type Template = readonly TemplatePart[];

/** A literal text, or the place of a value. */
export type TemplatePart = string | Placeholder;

/** The place of an argument of the call, or of a secret of the tool's integration. */
export interface Placeholder {
  readonly of: 'argument' | 'secret';
  readonly name: string;
}

const PLACEHOLDER = /\{\{[ \t]{0,9}([A-Za-z_][\w-]{0,99})(\.[\w-]{1,100})?[ \t]{0,9}\}\}/g;

/** Reads the placeholders `{{ name }}` and `{{ secret.name }}` of a text. */
export function parseTemplate(text: string): Parsed<Template> {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', 2: field, index } of text.matchAll(PLACEHOLDER)) {
    const isSecret = name === 'secret' && field !== undefined;
    if (field !== undefined && !isSecret) {
      return { issue: `${whole} is no placeholder: write the name of an argument, or secret.<field>` };
    }
    parts.push(text.slice(end, index), isSecret ? { of: 'secret', name: field.slice(1) } : { of: 'argument', name });
    end = index + whole.length;
  }
  parts.push(text.slice(end));
  if (parts.some((part) => typeof part === 'string' && part.includes('{{'))) {
    return { issue: 'a placeholder is not written as {{ name }}' };
  }
  return { value: parts.filter((part) => part !== '') };
}

/** Writes a placeholder as definitions do. */
export function written({ of, name }: Placeholder): string {
  return of === 'secret' ? `{{ secret.${name} }}` : `{{ ${name} }}`;
}

/** Returns the placeholder that is all of a template; undefined when there is other text, or none. */
export function wholePlaceholder(template: Template): Placeholder | undefined {
  const [only, ...others] = template;
  return others.length === 0 && typeof only === 'object' ? only : undefined;
}

/** Returns whether a template has no placeholder. */
export function isLiteral(template: Template): boolean {
  return template.every((part) => typeof part === 'string');
}

/** Lists the placeholders of a template. */
export function placeholdersOf(template: Template): readonly Placeholder[] {
  return template.filter((part) => typeof part === 'object');
}
