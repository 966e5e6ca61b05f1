import { isBeyondBaseline, isUnconfined, membersOf } from './pod-baseline.ts';

/** Members that may hold texts of whatever names. */
const TEXTS: ReadonlySet<string> = new Set(['labels', 'annotations', 'matchlabels', 'nodeselector']);
/** Kinds whose content is nothing that runs: texts, or descriptions of other kinds. */
const STILL: ReadonlySet<string> = new Set([
  'v1 ConfigMap',
  'v1 Secret',
  'apiextensions.k8s.io/v1 CustomResourceDefinition',
]);

interface HostManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [member: string]: unknown;
}

/**
 * Returns what of a manifest reaches the machine that it runs on, or is beyond the baseline of the Pod Security
 * Standards otherwise, such as `spec.hostNetwork`; undefined when nothing is. Templates are looked into at any depth,
 * of kinds that nobody knows as well.
 */
export function hostAccessIn(manifest: HostManifest): string | undefined {
  const { apiVersion, kind } = manifest;
  if (STILL.has(`${apiVersion} ${kind}`)) return undefined;
  if (kind === 'PersistentVolume' && membersOf(manifest['spec'], 'local').length > 0) return 'spec.local';
  return found(manifest, []);
}

function found(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parent = path.at(-1);
  const areTexts = TEXTS.has(parent?.toLowerCase() ?? '') && holdsTexts(value);
  for (const [name, member] of Object.entries(value)) {
    const at = [...path, name];
    if (areTexts ? isUnconfined(name, member) : isBeyondBaseline(name, member, parent)) return at.join('.');
    const below = found(member, at);
    if (below !== undefined) return below;
  }
  return undefined;
}

function holdsTexts(value: object): boolean {
  return Object.values(value).every((each) => typeof each === 'string');
}
