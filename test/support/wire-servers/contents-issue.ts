import type { WireRequest } from './wire-server.ts';

interface Part {
  readonly text?: string;
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: unknown };
  readonly functionResponse?: { readonly id: string; readonly name: string; readonly response: unknown };
  readonly thoughtSignature?: string;
}
interface Content {
  readonly role: string;
  readonly parts: readonly Part[];
}

/**
 * Returns why the Gemini API would respond with 400, or undefined: unknown roles, calls that are not followed by
 * exactly their responses, a first call without its signature, unknown fields.
 */
export function contentsIssue({ path, body }: WireRequest): string | undefined {
  if (/[?&]key=/.test(path)) return 'the key stands in the address';
  const known = ['systemInstruction', 'contents', 'tools', 'generationConfig'];
  const unknown = Object.keys(body).find((field) => !known.includes(field));
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}"`;
  const contents = body['contents'] as readonly Content[];
  if (contents[0]?.role !== 'user') return 'Please ensure that multiturn requests begin with a user turn';
  return (
    contents.map((content, at) => contentIssue(contents[at - 1], content)).find((issue) => issue !== undefined) ??
    (contents.at(-1)?.role === 'model' ? 'ends with a model turn' : undefined)
  );
}

function contentIssue(before: Content | undefined, { role, parts }: Content): string | undefined {
  if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
  if (parts.length === 0) return 'contents.parts must not be empty';
  const asked = before?.parts.flatMap(({ functionCall }) => functionCall?.id ?? []) ?? [];
  const answered = parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []);
  if (asked.join() !== answered.join()) return 'number of function response parts is not that of the function calls';
  if (answered.length > 0 && answered.length !== parts.length) return 'other parts among function responses';
  const firstCall = parts.find(({ functionCall }) => functionCall !== undefined);
  return firstCall !== undefined && firstCall.thoughtSignature === undefined
    ? 'Function call is missing a thought_signature in functionCall parts'
    : undefined;
}
