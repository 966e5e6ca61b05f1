/** Returns the header that has a change refused with 412 once the record has another version; none without one. */
export function ifMatch(version: string | undefined): { 'If-Match'?: string } {
  return version === undefined ? {} : { 'If-Match': `"${version}"` };
}
