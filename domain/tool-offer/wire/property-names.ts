/** What Anthropic and Google take; gateways pass the tools of other formats on to them. */
const PERMITTED = /^[A-Za-z_][\w.-]{0,63}$/;
const MAX_READABLE = 48;

/** The names of the properties of one schema, as they are offered. */
export class PropertyNames {
  readonly #originals = new Map<string, string>();

  /** Returns a name as providers take it. */
  toWire(name: string): string {
    if (PERMITTED.test(name)) return name;
    const readable = name
      .normalize('NFKD')
      .replaceAll(/[^\w.-]+/g, '_')
      .slice(0, MAX_READABLE);
    let wire = `p_${readable}_${digestOf(name)}`;
    while ((this.#originals.get(wire) ?? name) !== name) wire += '_';
    this.#originals.set(wire, name);
    return wire;
  }

  /**
   * Returns the JSON text of arguments with the names of the schema in place of those that were offered. Whatever else
   * the text holds stays as the model wrote it.
   */
  restoreIn(argumentsText: string): string {
    if (this.#originals.size === 0) return argumentsText;
    // A quote within a text has a backslash before it, so these can only be keys.
    return argumentsText.replaceAll(/(?<!\\)"(p_[\w.-]+)"(?=\s*:)/g, (key, wire: string) => {
      const original = this.#originals.get(wire);
      return original === undefined ? key : JSON.stringify(original);
    });
  }
}

// FNV-1a: two names that read the same are to differ, nothing more.
function digestOf(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return (hash >>> 0).toString(36);
}
