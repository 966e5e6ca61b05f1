/** A value in which nothing can be changed. */
export type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** Freezes a value and everything in it. Builtin content is shared by all requests, so nobody may change it. */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
