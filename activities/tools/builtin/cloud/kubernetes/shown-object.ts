import { isObject } from '../../../../../domain/core/objects/is-object.ts';

const HIDDEN = '***';
/** Annotations in which tools repeat the whole object that they applied. */
const REPEATS = /last-applied(?:-configuration)?$|^kapp\.k14s\.io\/original|^objectset\.rio\.cattle\.io\/applied/;

/**
 * Returns an object as a model is shown it: without what tools of the cluster keep beside it, and with the names but
 * not the values of a Secret and its annotations.
 */
export function shownObject(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { kind, metadata, ...rest } = value;
  const shown = { kind, metadata: shownMetadata(metadata), ...rest };
  if (Array.isArray(value['items'])) return { ...shown, items: value['items'].map((each) => shownItem(each, kind)) };
  return kind === 'Secret' ? withoutValues(shown) : shown;
}

// Items of a list do not always say of which kind they are.
function shownItem(item: unknown, listKind: unknown): unknown {
  const shown = shownObject(item);
  return listKind === 'SecretList' && isObject(shown) ? withoutValues(shown) : shown;
}

function withoutValues(secret: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { metadata } = secret;
  // Whoever copies Secrets around keeps them there too.
  const shown = isObject(metadata) ? { ...secret, metadata: withHidden(metadata, ['annotations']) } : secret;
  return withHidden(shown, ['data', 'stringData']);
}

function withHidden(
  object: Readonly<Record<string, unknown>>,
  members: readonly string[],
): Readonly<Record<string, unknown>> {
  const hidden = members.flatMap((member) => {
    const values = object[member];
    if (values === undefined || values === null) return [];
    const names = isObject(values) ? Object.keys(values) : [];
    return [[member, Object.fromEntries(names.map((each) => [each, HIDDEN]))]];
  });
  return { ...object, ...Object.fromEntries(hidden) };
}

function shownMetadata(metadata: unknown): unknown {
  if (!isObject(metadata)) return metadata;
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!isObject(annotations)) return rest;
  const kept = Object.entries(annotations).filter(([name]) => !REPEATS.test(name));
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}
