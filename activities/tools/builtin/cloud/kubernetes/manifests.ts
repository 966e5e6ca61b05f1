import { z } from 'zod';
import { parseForeignJson } from '../../../../../domain/core/foreign-json.ts';
import type { ToolContext } from '../../../context.ts';
import { ToolFailure } from '../../../tool-failure.ts';
import { hostAccessIn } from './host-access.ts';

/** The objects that one call applies at most. */
const MAX_OBJECTS = 30;
const MAX_NESTED_LISTS = 3;
const MAX_DEPTH = 100;
const convertedSchema = z.object({ text: z.string() });
const manifestSchema = z.looseObject({
  apiVersion: z.string().regex(/^(?:[a-z\d.-]{1,253}\/)?v[a-z\d]{1,30}$/),
  kind: z.string().regex(/^[A-Za-z\d]{1,63}$/),
  metadata: z.looseObject({ name: z.string().min(1).max(253), namespace: z.string().min(1).max(63).optional() }),
});
const listSchema = z.looseObject({ kind: z.string().endsWith('List'), items: z.array(z.unknown()) });

/** An object as it is to be. */
export type Manifest = z.output<typeof manifestSchema>;

/**
 * Returns the objects that a text of YAML or JSON describes, of one or several documents, those of lists too. What is
 * looked at here is what is sent. Throws `ToolFailure` for one that is no object, or gives pods more than the baseline
 * of the Pod Security Standards.
 */
export async function readManifests(text: string, context: Pick<ToolContext, 'compute'>): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for (const document of documentsIn(text)) {
    const content = Buffer.from(document).toString('base64');
    const json = await context.compute({ kind: 'convert', content, from: 'yaml', to: 'json' });
    const parsed = parseForeignJson(convertedSchema.parse(JSON.parse(json)).text, { maxDepth: MAX_DEPTH });
    if ('issue' in parsed) throw new ToolFailure('invalid_input', `The manifest cannot be read: ${parsed.issue}`);
    if (parsed.value !== null) manifests.push(...objectsIn(parsed.value, MAX_NESTED_LISTS));
    if (manifests.length > MAX_OBJECTS)
      throw new ToolFailure('invalid_input', `A manifest has at most ${MAX_OBJECTS} objects`);
  }
  if (manifests.length === 0) throw new ToolFailure('invalid_input', 'The manifest holds no object');
  for (const manifest of manifests) {
    const access = hostAccessIn(manifest);
    if (access !== undefined)
      throw new ToolFailure(
        'denied',
        `${nameOf(manifest)} is not applied: ${access} is beyond the baseline of the Pod Security Standards`,
      );
  }
  return manifests;
}

/** Returns how people call an object: `Deployment web`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind} ${metadata.name}`;
}

/** Returns the documents of a text of YAML. Throws `ToolFailure` when there are too many. */
export function documentsIn(text: string): readonly string[] {
  // A line of three hyphens at its begin separates them, even within what looks like a text.
  const documents = text.split(/^---(?=\s|$)/m).filter((document) => document.trim() !== '');
  if (documents.length > MAX_OBJECTS)
    throw new ToolFailure('invalid_input', `A manifest has at most ${MAX_OBJECTS} documents`);
  return documents;
}

function objectsIn(value: unknown, depth: number): readonly Manifest[] {
  const { data: list } = listSchema.safeParse(value);
  if (list !== undefined) {
    if (depth === 0) throw new ToolFailure('invalid_input', 'The lists of the manifest hold too many others');
    return list.items.flatMap((each) => objectsIn(each, depth - 1));
  }
  const { data, error } = manifestSchema.safeParse(value);
  if (data !== undefined) return [data];
  const at = error.issues[0]?.path.join('.') ?? '';
  throw new ToolFailure('invalid_input', `Each object has apiVersion, kind and metadata.name (wrong at "${at}")`);
}
