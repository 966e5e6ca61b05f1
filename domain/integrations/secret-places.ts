/** The parts of a request in which a secret can stand. */
export const SECRET_PLACES = ['header', 'query', 'path', 'body'] as const;

/** A part of a request in which a secret can stand. */
export type SecretPlace = (typeof SECRET_PLACES)[number];
