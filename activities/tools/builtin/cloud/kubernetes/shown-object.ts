const HIDDEN = '***';
/** What tools of a cluster keep beside an object; the second one repeats what was hidden. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns an object as a model is shown it: without what tools of the cluster keep beside it, and with the names but
 * not the values of a Secret.
 */
export function shownObject(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { kind, metadata, ...rest } = value;
  const shown = { kind, metadata: shownMetadata(metadata), ...rest };
  if (Array.isArray(value['items'])) return { ...shown, items: value['items'].map((each) => shownItem(each, kind)) };
  return kind === 'Secret' ? withoutValues(shown) : shown;
}

// Items of a list do not always say of which kind they are.
function shownItem(item: unknown, listKind: unknown): unknown {
  const shown = shownObject(item);
  return listKind === 'SecretList' && isRecord(shown) ? withoutValues(shown) : shown;
}

function withoutValues(secret: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const hidden = ['data', 'stringData'].flatMap((name) => {
    const values = secret[name];
    if (values === undefined || values === null) return [];
    const names = isRecord(values) ? Object.keys(values) : [];
    return [[name, Object.fromEntries(names.map((each) => [each, HIDDEN]))]];
  });
  return { ...secret, ...Object.fromEntries(hidden) };
}

function shownMetadata(metadata: unknown): unknown {
  if (!isRecord(metadata)) return metadata;
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!isRecord(annotations)) return rest;
  const kept = Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED);
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
