/** Returns the text of a search parameter under its name; nothing for all else, so that addresses stay short. */
export function textParam<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
): { readonly [Key in Name]?: string } {
  const value = search[name];
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as { readonly [Key in Name]?: string };
}

/** Returns the value of a search parameter that is one of a few, under its name; nothing for all else. */
export function choiceParam<Name extends string, const Choice extends string>(
  search: Readonly<Record<string, unknown>>,
  name: Name,
  choices: readonly Choice[],
): { readonly [Key in Name]?: Choice } {
  const found = choices.find((choice) => choice === search[name]);
  return (found === undefined ? {} : { [name]: found }) as { readonly [Key in Name]?: Choice };
}
