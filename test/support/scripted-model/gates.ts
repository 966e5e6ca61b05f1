/** Named gates that streams wait at. A released gate stays open. */
export class Gates {
  readonly #gates = new Map<string, PromiseWithResolvers<void>>();

  /** Resolves when the gate has been released, at once when it already was. */
  async passed(name: string): Promise<void> {
    await this.#gate(name).promise;
  }

  release(name: string): void {
    this.#gate(name).resolve();
  }

  #gate(name: string): PromiseWithResolvers<void> {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    const made = Promise.withResolvers<void>();
    this.#gates.set(name, made);
    return made;
  }
}
