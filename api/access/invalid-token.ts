import { AppError } from '../../domain/core/app-error.ts';

/**
 * A token was presented that is not valid. It says whether it has merely expired: only then is it worth asking for a
 * new one.
 */
export class InvalidToken extends AppError {
  /** The value of `WWW-Authenticate` (RFC 6750, section 3). */
  readonly challenge: string;

  constructor({ hasExpired }: { readonly hasExpired: boolean }) {
    super('unauthenticated', hasExpired ? 'The token has expired' : 'Missing or invalid token');
    const description = hasExpired ? 'The token has expired' : 'The token is invalid';
    this.challenge = `Bearer error="invalid_token", error_description="${description}"`;
  }
}
