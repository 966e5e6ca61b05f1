import { AppError } from '../../domain/core/app-error.ts';

/** A token was presented and is not good. It says whether it merely expired: only then is it worth asking for a new one. */
export class InvalidToken extends AppError {
  /** What `WWW-Authenticate` says (RFC 6750, section 3). */
  readonly challenge: string;

  constructor({ hasExpired }: { readonly hasExpired: boolean }) {
    super('unauthenticated', hasExpired ? 'The token has expired' : 'Missing or invalid token');
    const description = hasExpired ? 'The token has expired' : 'The token is invalid';
    this.challenge = `Bearer error="invalid_token", error_description="${description}"`;
  }
}
