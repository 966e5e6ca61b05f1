/** A version by Semantic Versioning, without build metadata: `1.4.0`, `2.0.0-beta.1`. */
export const VERSION = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})(-[0-9A-Za-z.-]{1,40})?$/;

/** Returns whether a version is newer than another one; one with a suffix is older than the same without. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  const differing = a.numbers.findIndex((number, index) => number !== b.numbers[index]);
  if (differing !== -1) return (a.numbers[differing] ?? 0) > (b.numbers[differing] ?? 0);
  if (a.suffix === b.suffix) return false;
  return a.suffix === '' || (b.suffix !== '' && a.suffix > b.suffix);
}

function partsOf(version: string): { readonly numbers: readonly number[]; readonly suffix: string } {
  const [core = '', suffix = ''] = version.split(/-(.*)/s);
  return { numbers: core.split('.').map(Number), suffix };
}
