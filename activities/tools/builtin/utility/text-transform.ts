import { z } from 'zod';
import { type TextAction, TEXT_ACTIONS } from '../../compute/job.ts';
import { defineTool } from '../../define-tool.ts';
import { ToolFailure } from '../../tool-failure.ts';
import { computeOver } from '../data/compute-over-file.ts';

const ENCODINGS = ['base64', 'base64url', 'hex', 'url', 'html'] as const;
/** Encodings of any bytes, whatever letters these mean. */
const ENCODINGS_OF_BYTES: ReadonlySet<string> = new Set(ENCODINGS.slice(0, 3));

/** The algorithms of an action; the first one is the default, but a case must always be given. */
const ALGORITHMS: Readonly<Partial<Record<TextAction, readonly string[]>>> = {
  case: ['upper', 'lower', 'title', 'sentence', 'camel', 'pascal', 'snake', 'kebab', 'constant', 'slug'],
  hash: ['sha256', 'sha1', 'sha384', 'sha512', 'sha3-256', 'md5'],
  encode: ENCODINGS,
  decode: ENCODINGS,
};

/** The required arguments of an action. */
const NEEDED: Readonly<Partial<Record<TextAction, readonly (keyof Given)[]>>> = {
  match: ['pattern'],
  replace: ['pattern', 'replacement'],
  split: ['pattern'],
  diff: ['other'],
  case: ['algorithm'],
};

interface Given {
  readonly other?: string | undefined;
  readonly pattern?: string | undefined;
  readonly replacement?: string | undefined;
  readonly algorithm?: string | undefined;
}

/** Works on texts exactly, where a model would guess. */
export const textTransform = defineTool({
  key: 'text_transform',
  name: 'Transform text',
  description:
    'Works on a text exactly, where guessing goes wrong: finds, replaces or splits by a pattern, compares, changes case, makes slugs, hashes, encodes, decodes, counts. Give either `text` or `file`.',
  category: 'utility',
  parameters: z.strictObject({
    action: z.enum(TEXT_ACTIONS).describe('What to do; count is of characters, words, lines and tokens.'),
    text: z.string().optional().describe('The text itself.'),
    file: z.string().min(1).max(1024).optional().describe('Path of a file in the workspace that contains it.'),
    other: z.string().optional().describe('For diff: the text to compare with.'),
    pattern: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('For match, replace and split: an RE2 expression; `(?i)` at its start ignores case.'),
    replacement: z.string().optional().describe('For replace: `$&` is the match, `$1` or `$<name>` a group.'),
    algorithm: z.string().max(20).optional().describe(describeAlgorithms()),
  }),
  effect: 'read',
  timeoutSeconds: 30,
  inline: true,
  run: async ({ action, text, file, ...given }, context) => {
    for (const name of NEEDED[action] ?? []) {
      if (given[name] === undefined) throw new ToolFailure('invalid_input', `${action} needs ${name}`);
    }
    const algorithm = algorithmOf(action, given.algorithm);
    const { json, isForeign, notice } = await computeOver({ text, file }, context, (content) => ({
      kind: 'text',
      content,
      action,
      ...given,
      algorithm,
    }));
    const isOfBytes = action === 'hash' || (algorithm !== undefined && ENCODINGS_OF_BYTES.has(algorithm));
    return { value: JSON.parse(json), isForeign, ...(!isOfBytes && { notice }) };
  },
});

function algorithmOf(action: TextAction, given: string | undefined): string | undefined {
  const known = ALGORITHMS[action];
  if (known === undefined || given === undefined) return known?.[0];
  if (!known.includes(given))
    throw new ToolFailure('invalid_input', `algorithm of ${action} is one of ${known.join(', ')}`);
  return given;
}

function describeAlgorithms(): string {
  const [cases, hashes, encodings] = [ALGORITHMS.case, ALGORITHMS.hash, ENCODINGS].map((each = []) => each.join(', '));
  return `For case: ${cases}. For hash, with the first as default: ${hashes}. For encode and decode: ${encodings}.`;
}
