/** Why there is no token to make a request with. The message is for people: it holds no secret and no foreign text. */
export class TokenFailure extends Error {
  override readonly name = 'TokenFailure';
  /**
   * `ended`: what was granted is worth nothing any more. `refused`: other credentials are needed. `unavailable`: the
   * same request may succeed later.
   */
  readonly kind: 'ended' | 'refused' | 'unavailable';

  constructor(kind: TokenFailure['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
