/** Returns the text that a search parameter holds, under its name; nothing for all else, so that addresses stay short. */
export function textParam<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as { readonly [Key in Name]?: string };
}
