/** Marks a text of our own in its `_meta`. */
export const PLACEHOLDER = 'everturn/placeholder';

/** Returns whether a part of a result is a placeholder for one that cannot be read. */
export function isPlaceholder({ _meta: meta }: { readonly _meta?: object | undefined }): boolean {
  return meta !== undefined && PLACEHOLDER in meta;
}
